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
    private let catalog: Catalog
    private let policy: Policy
    /// Of the customer's subscriptions and purchases, the newest first, since the earliest period that is shown.
    let notices: [(original: TransactionID, notice: TimelineNotice)]
    /// The instant up to which notifications were not read, because there are too many; nil when all were.
    let toldSince: Timestamp?
    private let page: PageRequest
    /// The change number before which the rows begin; nil for the newest.
    private let position: Int64?

    private static let mostRows = 200
    /// In so many pages at the most, each as long as the verb allows.
    private static let mostNoticePages = 4
    private static let noticePage = 100

    /// - Throws: `ControlError` for a customer whom nobody knows.
    init(_ page: PageRequest) async throws {
        let scope = AccountScope(
            realm: Realm(rawValue: page.parameters["realm"] ?? "") ?? .sandbox,
            app: page.parameters["bundleId"] ?? ""
        )
        let customer = page.parameters["customer"] ?? ""
        guard
            let account = try await page.shop.storage.account(realm: scope.realm, app: scope.app, customer: customer)
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
        catalog = page.shop.registry.catalog(of: scope.app)
        policy = page.shop.policy(of: scope)
        // Beside old rows stands what was told in their time.
        let last = history.rows.map { $0.expiresDate ?? $0.purchaseDate }.max()
        (notices, toldSince) = try await Self.notices(
            page,
            customer,
            from: Self.earliest(of: history.rows),
            until: position == nil ? nil : last
        )
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

    private static func notices(
        _ page: PageRequest,
        _ customer: String,
        from first: Timestamp?,
        until last: Timestamp?
    ) async throws -> (notices: [(original: TransactionID, notice: TimelineNotice)], since: Timestamp?) {
        var query = [(name: "customer", value: customer), (name: "limit", value: String(noticePage))]
        query += first.map { [(name: "from", value: String($0.milliseconds))] } ?? []
        query += last.map { [(name: "to", value: String($0.milliseconds))] } ?? []
        var all: [JSONTree] = []
        var after: String?
        for _ in 0..<mostNoticePages {
            let answer = try await page.ask(
                "listNotifications",
                query: query + (after.map { [(name: "after", value: $0)] } ?? [])
            )
            all += answer["notifications"]?.elements ?? []
            after = answer["next"]?.text
            if after == nil { break }
        }
        let since = after == nil ? nil : all.last?["signedDate"]?.number.map { Timestamp(milliseconds: $0) }
        return (notices(all, page), since)
    }

    private static func notices(_ entries: [JSONTree], _ page: PageRequest)
        -> [(original: TransactionID, notice: TimelineNotice)]
    {
        entries.compactMap { entry in
            // What somebody asked for has no cause; version 1 tells the same again in other words.
            guard
                entry["isTriggered"]?.isTrue == false, entry["version"]?.number == 2,
                let original = entry["originalTransactionId"]?.text.flatMap({ Int64($0) }),
                let type = entry["notificationType"]?.text, let date = entry["signedDate"]?.number
            else { return nil }
            let uuid = entry["notificationUUID"]?.text ?? ""
            let path = "/console/apps/{bundleId}/{realm}/notifications/{notificationUUID}"
            let notice = TimelineNotice(
                type: type,
                subtype: entry["subtype"]?.text,
                date: Timestamp(milliseconds: date),
                transaction: entry["transactionId"]?.text.flatMap { Int64($0) }.map { TransactionID($0) },
                fate: fate(entry["deliveries"]?.elements ?? []),
                address: page.link(path, ["notificationUUID": uuid])
            )
            return (TransactionID(original), notice)
        }
    }

    private static func fate(_ deliveries: [JSONTree]) -> TimelineNotice.Fate {
        let waiting = deliveries.filter { $0["isDelivered"]?.isTrue != true }
        if deliveries.isEmpty { return .unsent }
        if waiting.isEmpty { return .arrived }
        return waiting.contains { $0["nextAttemptDate"] != nil } ? .owed : .failed
    }

    // MARK: Pictures

    /// The pictures of a subscription, one for each width, as SVG.
    func pictures(of subscription: Subscription) -> [String] {
        guard let facts = facts(of: subscription) else { return [] }
        return Timeline.widths.enumerated().map { index, width in
            Timeline(facts, width: width).svg(id: "timeline-\(subscription.originalID.wireForm)-\(index)")
        }
    }

    /// Nil when these rows have none of the subscription's.
    private func facts(of subscription: Subscription) -> TimelineFacts? {
        var known = rows.filter { $0.originalID == subscription.originalID }
        let hasEarlier = hasMore && !known.contains(where: \.isOriginal)
        // A row that changed late stands among younger ones; what lay between may not have been read.
        if hasMore, let horizon = rows.last?.modifiedDate.wholeSecond {
            known.removeAll { $0.purchaseDate < horizon }
        }
        if !isPast {
            let running = now < subscription.current.purchaseDate ? subscription.running : nil
            for row in [running, subscription.current].compactMap(\.self)
            where !known.contains(where: { $0.id == row.id }) {
                known.append(row)
            }
        }
        guard !known.isEmpty else { return nil }
        let path = "/console/apps/{bundleId}/{realm}/customers/{customer}"
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

    /// What renewal info says now.
    func renewal(of subscription: Subscription) -> RenewalInfo {
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
