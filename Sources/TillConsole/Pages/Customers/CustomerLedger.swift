import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage

/// The data of a customer's timelines: the transactions that changed last, and their notifications.
///
/// The data is read from the store, because timelines need more data than the control API returns.
struct CustomerLedger: Sendable {
    let app: AppEnvironment
    let account: Account
    /// The customer's transactions, most recent change first.
    let rows: [Transaction]
    /// Whether there are older transactions.
    let hasMore: Bool
    let now: Timestamp
    /// The time of the subscription states on the page (`Shop.instantOfState`).
    let instantOfState: Timestamp
    let catalog: Catalog
    let policy: Policy
    /// The offer codes that have reached their limits.
    let usedCodes: [CodeRedemption]
    /// Notifications since the earliest period that is shown, newest first.
    private let notices: [(original: TransactionID, notice: TimelineNotice)]
    /// Notifications before this time were not read, because there are too many; nil if all were read.
    private let omittedBefore: Timestamp?
    /// The newest notifications, including those triggered manually.
    let newestNotifications: [TimelineNotice]
    /// Transactions from the same time span as `rows` that changed later.
    private let changedLater: [Transaction]
    let page: PageRequest
    /// The change number that precedes `rows`; nil for the newest page.
    let position: Int64?

    private static let maxRows = 200
    private static let maxNotices = 400
    private static let maxNewest = 10

    /// - Throws: `ControlError` if the customer does not exist.
    init(_ page: PageRequest) async throws {
        app = try page.app
        let scope = AccountScope(environment: app.environment, app: app.bundleId)
        let customer = page.customer
        guard let account = try await page.shop.storage.account(of: CustomerName(scope, customer)) else {
            throw ControlError.missing("No customer \"\(customer.prefix(64))\".")
        }
        self.page = page
        self.account = account
        position = page.value("after").flatMap { Int64($0) }
        let history = try await page.shop.storage.history(
            HistoryQuery(account: account.id, position: position, isAscending: false, limit: Self.maxRows)
        )
        rows = history.rows
        hasMore = history.hasMore
        now = page.shop.now(of: account)
        instantOfState = try await page.shop.instantOfState(of: account)
        catalog = page.shop.registry.catalog(of: scope.app)
        policy = page.shop.registry.policy(of: scope)
        usedCodes = try await Self.usedCodes(of: catalog, account, page)
        // A page of old transactions shows only notifications up to the end of these transactions.
        let last = history.rows.map { $0.expiresDate ?? $0.purchaseDate }.max()
        let scoped = NotificationQuery(scope: scope, account: account.id, isDescending: true)
        var caused = scoped
        caused.kind = .caused
        caused.from = Self.earliest(of: history.rows)
        caused.to = position == nil ? nil : last
        caused.limit = Self.maxNotices
        let entries = try await page.shop.storage.notifications(caused)
        var newest = scoped
        newest.kind = .signed
        newest.to = caused.to
        newest.limit = Self.maxNewest
        let shown = try await page.shop.storage.notifications(newest)
        let ids = Set((entries + shown).map(\.id))
        let deliveries = try await page.shop.storage.deliveries(of: Array(ids))
        let read = { (entry: OutboxEntry) in Self.notice(entry, deliveries[entry.id] ?? [], page) }
        notices = entries.compactMap { entry in entry.original.map { ($0, read(entry)) } }
        omittedBefore = entries.count == Self.maxNotices ? entries.last?.signedDate : nil
        newestNotifications = shown.map(read)
        changedLater = try await Self.changedLater(than: position, history.rows, of: account, page)
    }

    /// Reads transactions that a late change, such as a refund, moved to a newer page. The timeline of the older page
    /// needs them, too.
    private static func changedLater(
        than position: Int64?,
        _ rows: [Transaction],
        of account: Account,
        _ page: PageRequest
    ) async throws -> [Transaction] {
        guard let position, let begin = rows.map(\.purchaseDate).min() else { return [] }
        let end = rows.map { $0.expiresDate ?? $0.purchaseDate }.max()
        let query = HistoryQuery(
            account: account.id,
            position: position - 1,
            filter: HistoryFilter(startDate: begin, endDate: end),
            limit: maxRows
        )
        return try await page.shop.storage.history(query).rows
    }

    /// The offer codes that have reached their limits; none if there are too many codes for a form to list.
    private static func usedCodes(of catalog: Catalog, _ account: Account, _ page: PageRequest) async throws
        -> [CodeRedemption]
    {
        let codes = catalog.products.values.flatMap { product in
            product.offers.compactMap { $0.redemption(of: product, by: account) }
        }
        return codes.count > ListLimit.options ? [] : try await page.shop.storage.usedUp(codes)
    }

    /// Whether this is a page of older transactions.
    var isPast: Bool { position != nil }

    // MARK: Notifications

    /// The start of the earliest period on a timeline or of the earliest listed transaction.
    private static func earliest(of rows: [Transaction]) -> Timestamp? {
        let subscriptions = Dictionary(grouping: rows.filter { $0.expiresDate != nil }, by: \.originalID)
        let shown = subscriptions.values.flatMap { $0.map(\.purchaseDate).sorted().suffix(Timeline.maxPeriods) }
        let first = (shown + rows.prefix(pageSize).map(\.purchaseDate)).min()
        // A renewal that is charged in advance causes a notification a day before its period begins.
        return first.map { Timestamp(milliseconds: $0.milliseconds - 2 * 86_400_000) }
    }

    private static func notice(_ entry: OutboxEntry, _ deliveries: [Delivery], _ page: PageRequest) -> TimelineNotice {
        TimelineNotice(
            type: entry.type,
            subtype: entry.subtype,
            date: entry.signedDate,
            transaction: entry.transaction,
            fate: fate(deliveries),
            address: page.link(toNotification: entry.uuid),
            isRetried: deliveries.contains { !$0.isDelivered && $0.due != nil && !$0.attempts.isEmpty }
        )
    }

    private static func fate(_ deliveries: [Delivery]) -> TimelineNotice.Fate {
        let waiting = deliveries.filter { !$0.isDelivered }
        if deliveries.isEmpty { return .unsent }
        if waiting.isEmpty { return .arrived }
        return waiting.contains { $0.due != nil } ? .pending : .failed
    }

    // MARK: Timelines

    /// The input of a subscription's timelines; nil if none of the transactions belongs to the subscription.
    func facts(of subscription: any HeldSubscription) -> TimelineFacts? {
        var known = (rows + changedLater).filter { $0.originalID == subscription.originalID }
        let hasEarlier = hasMore && !known.contains(where: \.isOriginal)
        // A transaction that changed late can be older than transactions that were not read, which would leave a gap.
        if hasMore, let horizon = rows.last?.modifiedDate.wholeSecond {
            known.removeAll { $0.purchaseDate < horizon }
        }
        if !isPast {
            let (current, latest) = (subscription.currentTransaction(at: now), subscription.latestTransaction)
            for row in current.id == latest.id ? [latest] : [current, latest]
            where !known.contains(where: { $0.id == row.id }) {
                known.append(row)
            }
        }
        guard !known.isEmpty else { return nil }
        return TimelineFacts(
            rows: known,
            subscription: subscription,
            renewal: renewal(of: subscription),
            notices: notices.filter { $0.original == subscription.originalID }.map(\.notice),
            knownSince: omittedBefore,
            products: products(ofGroup: subscription.groupID).map { ($0.id, $0.referenceName) },
            now: now,
            hasEarlier: hasEarlier,
            earlier: page.link(toCustomer: page.customer) + "?after=",
            transactions: page.link(toTransaction: ""),
            isPast: isPast
        )
    }

    /// A timeline omits notifications before this time; nil if it omits none.
    func omittedBefore(of facts: TimelineFacts) -> Timestamp? {
        guard let omittedBefore, let begin = TimelineStory(facts, atMost: Timeline.maxPeriods).periods.first?.start
        else {
            return nil
        }
        return begin < omittedBefore ? omittedBefore : nil
    }

    /// The URL of all notifications about the customer.
    var allNotifications: String {
        page.link(.notifications, query: [(name: "customer", value: account.customer)])
    }

    /// The current renewal info.
    func renewal(of subscription: any HeldSubscription) -> RenewalInfo {
        RenewalInfo(of: subscription, held: account, at: now, catalog: catalog, policy: policy)
    }

    // MARK: Catalog

    /// The products of a group, highest level first.
    func products(ofGroup group: String) -> [Product] {
        catalog.products.values.filter { $0.plan?.groupID == group }
            .sorted { ($0.plan?.level ?? 0, $0.id) < ($1.plan?.level ?? 0, $1.id) }
    }

    /// All products for sale, by name.
    var forSale: [Product] {
        catalog.products.values.filter(\.isForSale).sorted { ($0.referenceName, $0.id) < ($1.referenceName, $1.id) }
    }

    /// The reference name of a product.
    func name(of product: String) -> String { catalog.products[product]?.referenceName ?? product }
}
