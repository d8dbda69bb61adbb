import TillCore
import TillServer
import TillShop
import TillStorage

/// What the pictures of a customer's page are made of: the rows that changed last, and what was told last.
///
/// Rows and the account are read as the store has them, because a picture needs more of them than any verb should say.
struct CustomerLedger: Sendable {
    let account: Account
    /// Of all that the customer bought, the one that changed last first.
    let rows: [Transaction]
    /// Whether there are rows before these.
    let hasMore: Bool
    let now: Timestamp
    /// For which the page says how subscriptions stand (`Shop.instantOfState`).
    let instantOfState: Timestamp
    private let catalog: Catalog
    private let policy: Policy
    /// Of the customer's subscriptions and purchases, the newest first, since the earliest period that is shown.
    private let notices: [(original: TransactionID, notice: TimelineNotice)]
    /// The instant up to which notifications were not read, because there are too many; nil when all were.
    private let toldSince: Timestamp?
    /// What was told last, with what somebody had sent by hand.
    let told: [TimelineNotice]
    /// Rows of the time of these that changed after them.
    private let changedLater: [Transaction]
    private let page: PageRequest
    /// The change number before which the rows begin; nil for the newest.
    private let position: Int64?

    private static let mostRows = 200
    private static let mostNotices = 400
    private static let mostTold = 10

    /// - Throws: `ControlError` for a customer whom nobody knows.
    init(_ page: PageRequest) async throws {
        let scope = AccountScope(
            environment: StoreEnvironment(rawValue: page.parameters["environment"] ?? "") ?? .sandbox,
            app: page.parameters["bundleId"] ?? ""
        )
        let customer = page.parameters["customer"] ?? ""
        guard
            let account = try await page.shop.storage.account(
                environment: scope.environment,
                app: scope.app,
                customer: customer
            )
        else { throw ControlError.missing("There is no such customer.") }
        self.page = page
        self.account = account
        position = page.value("after").flatMap { Int64($0) }
        let history = try await page.shop.storage.history(
            HistoryQuery(account: account.id, position: position, isAscending: false, limit: Self.mostRows)
        )
        rows = history.rows
        hasMore = history.hasMore
        now = page.shop.now(of: account)
        instantOfState = try await page.shop.instantOfState(of: account)
        catalog = page.shop.registry.catalog(of: scope.app)
        policy = page.shop.policy(of: scope)
        // Beside old rows stands what was told in their time.
        let last = history.rows.map { $0.expiresDate ?? $0.purchaseDate }.max()
        let scoped = NotificationQuery(scope: scope, account: account.id, isDescending: true)
        var caused = scoped
        caused.kind = .caused
        caused.from = Self.earliest(of: history.rows)
        caused.to = position == nil ? nil : last
        caused.limit = Self.mostNotices
        let entries = try await page.shop.storage.notifications(caused)
        var newest = scoped
        newest.kind = .signed
        newest.to = caused.to
        newest.limit = Self.mostTold
        let shown = try await page.shop.storage.notifications(newest)
        let ids = Set((entries + shown).map(\.id))
        let deliveries = try await page.shop.storage.deliveries(of: Array(ids))
        let read = { (entry: OutboxEntry) in Self.notice(entry, deliveries[entry.id] ?? [], page) }
        notices = entries.compactMap { entry in entry.original.map { ($0, read(entry)) } }
        toldSince = entries.count == Self.mostNotices ? entries.last?.signedDate : nil
        told = shown.map(read)
        changedLater = try await Self.changedLater(than: position, history.rows, of: account, page)
    }

    /// A row that was refunded long after its time stands among the newest: what is drawn of that time needs it.
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
            limit: mostRows
        )
        return try await page.shop.storage.history(query).rows
    }

    /// Whether the newest rows are not among these.
    var isPast: Bool { position != nil }

    // MARK: Notifications

    /// When the earliest period begins that a picture has room for, or the earliest row that is listed was bought.
    private static func earliest(of rows: [Transaction]) -> Timestamp? {
        let subscriptions = Dictionary(grouping: rows.filter { $0.expiresDate != nil }, by: \.originalID)
        let shown = subscriptions.values.flatMap { $0.map(\.purchaseDate).sorted().suffix(Timeline.mostPeriods) }
        let first = (shown + rows.prefix(RowsCard.most).map(\.purchaseDate)).min()
        // A period that is charged ahead is told of a day before it begins.
        return first.map { Timestamp(milliseconds: $0.milliseconds - 2 * 86_400_000) }
    }

    private static func notice(_ entry: OutboxEntry, _ deliveries: [Delivery], _ page: PageRequest) -> TimelineNotice {
        let path = "/console/apps/{bundleId}/{environment}/notifications/{notificationUUID}"
        return TimelineNotice(
            type: entry.type,
            subtype: entry.subtype,
            date: entry.signedDate,
            transaction: entry.transaction,
            fate: fate(deliveries),
            address: page.link(path, ["notificationUUID": entry.uuid])
        )
    }

    private static func fate(_ deliveries: [Delivery]) -> TimelineNotice.Fate {
        let waiting = deliveries.filter { !$0.isDelivered }
        if deliveries.isEmpty { return .unsent }
        if waiting.isEmpty { return .arrived }
        return waiting.contains { $0.due != nil } ? .owed : .failed
    }

    // MARK: Pictures

    /// The pictures of a subscription, one for each width, as SVG.
    func pictures(of subscription: any HeldSubscription) -> [String] {
        guard let facts = facts(of: subscription) else { return [] }
        return Timeline.widths.enumerated().map { index, width in
            Timeline(facts, width: width).svg(id: "timeline-\(subscription.originalID.wireForm)-\(index)")
        }
    }

    /// Nil when these rows have none of the subscription's.
    private func facts(of subscription: any HeldSubscription) -> TimelineFacts? {
        var known = (rows + changedLater).filter { $0.originalID == subscription.originalID }
        let hasEarlier = hasMore && !known.contains(where: \.isOriginal)
        // A row that changed late stands among younger ones; what lay between may not have been read.
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
        let path = "/console/apps/{bundleId}/{environment}/customers/{customer}"
        return TimelineFacts(
            rows: known,
            subscription: subscription,
            renewal: renewal(of: subscription),
            notices: notices.filter { $0.original == subscription.originalID }.map(\.notice),
            toldSince: toldSince,
            products: products(ofGroup: subscription.groupID).map { ($0.id, $0.referenceName) },
            now: now,
            hasEarlier: hasEarlier,
            earlier: page.link(path).map { "\($0)?after=" },
            transactions: page.link(RowsCard.path, ["transactionId": ""]),
            isPast: isPast
        )
    }

    /// Up to when a subscription's picture lacks what was told, because there is too much; nil when it lacks nothing.
    func toldSince(of subscription: any HeldSubscription) -> Timestamp? {
        guard let toldSince, let facts = facts(of: subscription) else { return nil }
        let begin = TimelineStory(facts, atMost: Timeline.mostPeriods).periods.first?.start
        return begin.map { $0 < toldSince } == true ? toldSince : nil
    }

    /// Where all that was told of the customer is listed.
    var allNotices: String? {
        page.link(NotificationList.path, query: [(name: "customer", value: account.customer)])
    }

    /// What renewal info says now.
    func renewal(of subscription: any HeldSubscription) -> RenewalInfo {
        RenewalInfo(of: subscription, held: account, at: now, catalog: catalog, policy: policy)
    }

    // MARK: The catalogue

    /// The products of a group, the highest level first.
    func products(ofGroup group: String) -> [Product] {
        catalog.products.values.filter { $0.plan?.groupID == group }
            .sorted { ($0.plan?.level ?? 0, $0.id) < ($1.plan?.level ?? 0, $1.id) }
    }

    /// Everything that can be bought, in the order of names.
    var forSale: [Product] {
        catalog.products.values.filter(\.isForSale).sorted { ($0.referenceName, $0.id) < ($1.referenceName, $1.id) }
    }

    /// A product of the catalogue.
    func product(_ id: String) -> Product? { catalog.products[id] }

    /// What the developer calls a product.
    func name(of product: String) -> String { catalog.products[product]?.referenceName ?? product }
}
