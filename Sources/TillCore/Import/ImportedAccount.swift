/// An account with its transactions, derived from what another App Store server answers about a customer
/// (docs/client/import.md).
///
/// Nothing is guessed silently: `quarantined` lists what the account does not contain, `assumptions` what no answer
/// says, and `differences` where the account's own answers differ from those of the source.
package struct ImportedAccount: Sendable {
    /// The account, with its subscriptions and owned products.
    package private(set) var account: Account
    /// The transactions, oldest change first.
    package private(set) var rows: [Transaction] = []
    /// The catalog with the products that it lacked.
    package private(set) var catalog: Catalog
    /// The ids of the products that the catalog lacked.
    package private(set) var productsMade: [String] = []
    /// What the account does not contain, and why.
    package private(set) var quarantined: [Finding] = []
    /// What no answer says, and what Till assumed.
    package private(set) var assumptions: [Finding] = []
    /// Keys of renewal info in which the account's answers differ from the source.
    package private(set) var differences: [Finding] = []
    /// The transaction numbers of the source, by Till's own ids.
    package private(set) var numbers: [TransactionID: Int64] = [:]
    /// Till's own orders, by the order ids of the source.
    package private(set) var orders: [String: OrderID] = [:]

    /// One entry of the report.
    package struct Finding: Equatable, Sendable {
        /// What the entry is about, such as `transaction 2000000123456789`.
        package let subject: String
        /// A clause without a full stop.
        package let words: String

        /// An entry of the report.
        package init(_ subject: String, _ words: String) {
            self.subject = subject
            self.words = words
        }
    }

    /// The time of the answers, at which the customer's clock begins.
    package let instant: Timestamp
    private let policy: Policy

    /// Derives an account.
    ///
    /// - Parameters:
    ///   - customer: the answers of the source.
    ///   - account: a new account without purchases.
    ///   - catalog: the products of the app.
    ///   - policy: the settings of the environment.
    ///   - identifiers: at least ``identifiersNeeded(for:)`` unused values.
    ///   - keepsIDs: whether payloads show the ids of the source.
    package init(
        _ customer: SourceCustomer,
        as account: Account,
        catalog: Catalog,
        policy: Policy,
        identifiers: inout Identifiers,
        keepsIDs: Bool = true
    ) {
        self.account = account
        self.catalog = catalog
        self.policy = policy
        instant = customer.instant
        quarantined = customer.unreadable
        let kept = checked(customer.transactions)
        enter(kept, customer, &identifiers, keepsIDs)
        takeAccount(customer, keepsIDs)
        holdSubscriptions(customer)
        missingStatuses(customer)
        compare(customer)
    }

    /// Puts the customer on a clock of their own.
    package mutating func setClock(_ name: String?) { account.clock = name }

    /// How many identifiers an import takes at most: two for each transaction, one for each
    /// order, and one for the account.
    package static func identifiersNeeded(for customer: SourceCustomer) -> Int64 {
        Int64(customer.transactions.count) * 2 + Int64(customer.orders.count) + 1
    }

    // MARK: The transactions

    /// The transactions that the ledger can contain.
    private mutating func checked(_ all: [SourceTransaction]) -> [SourceTransaction] {
        var kept: [SourceTransaction] = []
        var numbers: Set<Int64> = []
        for found in all {
            let reason: String? =
                if !numbers.insert(found.number).inserted {
                    "it occurs twice in the history"
                } else {
                    reasonAgainst(found)
                }
            if let reason { quarantine("transaction \(found.number)", reason) } else { kept.append(found) }
        }
        let originals = Dictionary(uniqueKeysWithValues: kept.map { ($0.number, $0) })
        return kept.filter { found in
            guard let reason = reasonAgainst(originals[found.original], of: found) else { return true }
            quarantine("transaction \(found.number)", "its original transaction \(found.original) \(reason)")
            return false
        }
    }

    /// Without its original transaction, a renewal belongs to no subscription.
    private func reasonAgainst(_ original: SourceTransaction?, of found: SourceTransaction) -> String? {
        guard let original else { return "is not in the history, or is quarantined" }
        if original.original != original.number { return "has another original transaction, \(original.original)" }
        if original.row.type != found.row.type { return "is of the type \(original.row.type.wireName)" }
        if original.row.groupID != found.row.groupID { return "is of group \(original.row.groupID ?? "none")" }
        return nil
    }

    /// A date that is so late that the answers do not explain it.
    private func reasonAgainstDates(of row: Transaction) -> String? {
        let day: Int64 = 86_400_000
        // A renewal is charged a day ahead, and the answers may have been requested one after another.
        let latest = instant.advanced(milliseconds: 2 * day)
        // The longest period is a year. A trial may precede it, and the developer may extend it.
        let end = instant.advanced(milliseconds: 3 * 366 * day)
        let dates: [(key: String, date: Timestamp?, limit: Timestamp)] = [
            ("purchaseDate", row.purchaseDate, latest), ("originalPurchaseDate", row.originalPurchaseDate, latest),
            ("revocationDate", row.revocation?.date, latest), ("expiresDate", row.expiresDate, end),
        ]
        for (key, date, limit) in dates {
            guard let date, date > limit else { continue }
            return "its \(key) \(date.milliseconds) is too long after the time of the answers, \(instant.milliseconds)"
        }
        return nil
    }

    private func reasonAgainst(_ found: SourceTransaction) -> String? {
        let row = found.row
        if let damage = row.damage { return damage }
        if let reason = reasonAgainstDates(of: row) { return reason }
        if row.type == .autoRenewable {
            guard let expires = row.expiresDate else { return "it is a subscription without expiresDate" }
            guard row.groupID != nil else { return "it is a subscription without subscriptionGroupIdentifier" }
            guard expires > row.purchaseDate else { return "it expires before its purchase" }
        }
        guard let product = catalog.products[row.productID] else { return nil }
        guard product.type == row.type else {
            return "the catalog has \(row.productID) as \(product.type.wireName), not \(row.type.wireName)"
        }
        guard product.plan?.groupID == row.groupID else {
            return "the catalog has \(row.productID) in group \(product.plan?.groupID ?? "none"), not "
                + (row.groupID ?? "none")
        }
        return nil
    }

    /// Adds the transactions to the ledger. Within an account, a later transaction has a larger id.
    private mutating func enter(
        _ kept: [SourceTransaction],
        _ customer: SourceCustomer,
        _ identifiers: inout Identifiers,
        _ keepsIDs: Bool
    ) {
        var ids: [Int64: TransactionID] = [:]
        var lines: [Int64: Int64] = [:]
        let shown = keepsIDs ? customer.appTransactionID.map { String($0) } : nil
        account.foreignID = shown ?? account.id.wireForm
        for found in kept.sorted(by: { $0.number < $1.number }) {
            let storefront = found.row.storefront
            let id = identifiers.transaction(of: account.id, environment: account.environment, storefront: storefront)
            ids[found.number] = id
            numbers[id] = found.number
            guard found.row.lineItem != nil, !keepsIDs else { continue }
            lines[found.number] = identifiers.lineItem(
                of: account.id,
                environment: account.environment,
                storefront: storefront
            )
        }
        for (place, found) in kept.enumerated() {
            guard let id = ids[found.number], let original = ids[found.original] else { continue }
            var row = found.row
            row.id = id
            row.originalID = original
            row.account = account.id
            row.change = Int64(place + 1)
            row.lineItem = lines[found.number] ?? row.lineItem
            row.foreign = ForeignIDs(account: account.foreignID)
            if keepsIDs {
                row.foreign?.transaction = String(found.number)
                row.foreign?.original = String(found.original)
            }
            row.isFinished = row.type != .consumable || customer.unfinished.map { !$0.contains(found.number) } ?? true
            row.modifiedDate = min(max(row.purchaseDate, row.revocation?.date ?? row.purchaseDate), instant)
            rows.append(row)
        }
        noteMissingStorefronts(kept)
        let found = rows.enumerated().compactMap { place, row in numbers[row.id].map { ($0, place) } }
        let places = Dictionary(found) { first, _ in first }
        noteReferences(customer, places)
        numberRefunds(customer.refunds)
        takeOrders(customer.orders, places, &identifiers, keepsIDs)
        makeProducts(customer.subscriptions.map(\.renewal))
    }

    private mutating func noteMissingStorefronts(_ kept: [SourceTransaction]) {
        let lacking = kept.count { !$0.hasStorefront }
        guard lacking > 0 else { return }
        let assumed = Storefront.unitedStates.code
        let words = "\(lacking) of \(kept.count) transactions have none; it counts as \(assumed)"
        assumptions.append(Finding("storefront", words))
    }

    /// Reports the transactions that other answers have and the history lacks.
    ///
    /// - Parameter places: the indices of the transactions in `rows`, by their numbers.
    private mutating func noteReferences(_ customer: SourceCustomer, _ places: [Int64: Int]) {
        let reported = Set(quarantined.map(\.subject))
        func isUnknown(_ number: Int64) -> Bool {
            places[number] == nil && !reported.contains("transaction \(number)")
        }
        for number in (customer.unfinished ?? []).sorted() where isUnknown(number) {
            quarantine("transaction \(number)", "the history of version 1 has it, and the history does not")
        }
        for number in Set(customer.refunds).sorted() {
            let subject = "refund of transaction \(number)"
            if let place = places[number], rows[place].revocation == nil {
                quarantine(subject, "the history has the transaction without revocationDate")
            } else if isUnknown(number) {
                quarantine(subject, "the history does not have the transaction")
            }
        }
    }

    /// Numbers the refunds in the order of the refund history. A refund that it lacks follows, by its date.
    private mutating func numberRefunds(_ order: [Int64]) {
        let places = Dictionary(order.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
        func place(_ row: Transaction) -> (Int, Timestamp, Int64) {
            let place = numbers[row.id].flatMap { places[$0] } ?? .max
            return (place, row.revocation?.date ?? instant, row.change)
        }
        let refunded = rows.indices.filter { rows[$0].revocation.map { $0.kind != .familyRevoke } ?? false }
        for index in refunded.sorted(by: { place(rows[$0]) < place(rows[$1]) }) {
            account.refundNumber += 1
            rows[index].refundNumber = account.refundNumber
        }
    }

    /// - Parameter places: the indices of the transactions in `rows`, by their numbers.
    private mutating func takeOrders(
        _ looked: [String: [Int64]],
        _ places: [Int64: Int],
        _ identifiers: inout Identifiers,
        _ keepsIDs: Bool
    ) {
        for (order, members) in looked.sorted(by: { $0.key < $1.key }) {
            let own = Set(members.compactMap { places[$0] }).sorted()
            guard !own.isEmpty else {
                quarantine("order \(order)", "the history has none of its transactions")
                continue
            }
            for number in Set(members).sorted() where places[number] == nil {
                quarantine("order \(order)", "its transaction \(number) is not in the history, or is quarantined")
            }
            for index in own where rows[index].order != nil {
                let number = numbers[rows[index].id] ?? 0
                quarantine("order \(order)", "its transaction \(number) is in another order, too, and stays there")
            }
            let free = own.filter { rows[$0].order == nil }
            guard !free.isEmpty else { continue }
            let id = identifiers.order(of: account.id)
            if keepsIDs { orders[order] = id }
            for index in free {
                rows[index].order = id
                if keepsIDs { rows[index].foreign?.order = order }
            }
        }
    }

    /// Makes the products that the catalog lacks.
    private mutating func makeProducts(_ renewals: [SourceRenewalInfo]) {
        let missing = Dictionary(grouping: rows.filter { catalog.products[$0.productID] == nil }, by: \.productID)
        guard !missing.isEmpty else { return }
        let full = renewals.filter { $0.offer == nil && $0.renewalPrice != nil }
        let next = Dictionary(full.map { ($0.autoRenewProductID, $0.renewalPrice) }) { first, _ in first }
        let plans = catalog.products.values.compactMap(\.plan)
        var levels = Dictionary(plans.map { ($0.groupID, $0.level) }, uniquingKeysWith: max)
        for (productID, own) in missing.sorted(by: { $0.key < $1.key }) {
            let price = next[productID] ?? nil
            let product = ImportedProduct(productID, from: own, next: price, levels, catalog.storefront, policy)
            catalog.put(product.product)
            if let plan = product.product.plan { levels[plan.groupID] = plan.level }
            productsMade.append(productID)
            assumptions += product.assumptions.map { Finding("product \(productID)", $0) }
        }
    }

    // MARK: The account

    private mutating func takeAccount(_ customer: SourceCustomer, _ keepsIDs: Bool) {
        account.appTransaction = customer.appTransaction
        account.changeNumber = Int64(rows.count)
        account.rowCount = Int64(rows.count)
        account.version = 1
        account.lastEvent =
            rows.map(lastEvent(of:)).max() ?? customer.appTransaction?.originalPurchaseDate ?? instant
        account.lastEvent = min(account.lastEvent, instant)
        if let latest = rows.max(by: { $0.id < $1.id }) { account.storefront = latest.storefront }
        for row in rows.sorted(by: { $0.id < $1.id }) where row.ownership == .purchased {
            guard let offer = row.offer else { continue }
            switch offer.kind {
            case .introductory: if let group = row.groupID { account.introductoryOffersUsed.insert(group) }
            case .code: if let id = offer.id { account.codesRedeemed.insert(Account.redemption(of: id, row.productID)) }
            case .winBack:
                // A renewal for the price of the offer is the same redemption.
                if let group = row.groupID, row.reason == .purchase {
                    account.winBackOffersTaken[group] = row.purchaseDate
                }
            case .promotional: break
            }
        }
        for row in rows.sorted(by: { $0.id < $1.id }) where row.type == .nonConsumable {
            account.ownedProducts.append(
                OwnedProduct(
                    productID: row.productID,
                    transaction: row.id,
                    ownership: row.ownership,
                    isRevoked: row.revocation != nil
                )
            )
        }
    }

    /// The time of the last change of a transaction. A renewal may have been charged in advance.
    private func lastEvent(of row: Transaction) -> Timestamp {
        let lead = row.reason == .renewal ? policy.renewalLead : 0
        let charged = row.purchaseDate.advanced(milliseconds: -lead)
        return max(charged, row.revocation?.date ?? charged)
    }

    private mutating func holdSubscriptions(_ customer: SourceCustomer) {
        let own = Dictionary(grouping: rows) { numbers[$0.originalID] ?? 0 }
        let history = Dictionary(grouping: customer.transactions, by: \.original)
        var (seen, groups): (Set<Int64>, Set<String>) = ([], [])
        for held in customer.subscriptions {
            guard seen.insert(held.original).inserted else {
                quarantine("subscription \(held.original)", "the status answers have it twice; the first counts")
                continue
            }
            hold(held, own[held.original] ?? [], history[held.original] ?? [], &groups)
        }
    }

    /// - Parameters:
    ///   - rows: the transactions of the subscription.
    ///   - history: all its transactions at the source, also those that were quarantined.
    ///   - groups: the groups in which the customer has a subscription of their own.
    private mutating func hold(
        _ held: SourceSubscription,
        _ rows: [Transaction],
        _ history: [SourceTransaction],
        _ groups: inout Set<String>
    ) {
        let subject = "subscription \(held.original)"
        let own = rows.sorted { $0.id < $1.id }
        guard let latest = own.first(where: { numbers[$0.id] == held.latest }) else {
            return quarantine(subject, "its latest transaction \(held.latest) is not in the history, or is quarantined")
        }
        // Till would charge again for the period that the later transaction paid.
        let isOutdated = history.contains { later in
            guard later.number > held.latest, later.row.revocation == nil,
                let end = latest.expiresDate, let laterEnd = later.row.expiresDate
            else { return false }
            return laterEnd > end && !later.row.isUpgraded
        }
        guard !isOutdated else {
            return quarantine(subject, "its status answer is older than the last transaction of the history")
        }
        if latest.ownership == .purchased, groups.contains(held.groupID) {
            return quarantine(subject, "the customer has another subscription of group \(held.groupID)")
        }
        do {
            let found = try ImportedSubscription(held, own, latest, catalog, policy, at: instant)
            // An anonymous import has ids of its own.
            let taken = "subscription \(latest.shownOriginalID)"
            assumptions += found.assumptions.map { Finding(taken, $0) }
            if let bought = found.bought {
                account.subscriptions.append(bought)
                groups.insert(held.groupID)
                // A code is redeemed before the first period with its offer.
                for pending in bought.pendingOffers where pending.offer.kind == .code {
                    guard let id = pending.offer.id else { continue }
                    account.codesRedeemed.insert(Account.redemption(of: id, bought.preference.productID))
                }
            }
            if let copy = found.copy {
                account.sharedSubscriptions.append(copy)
                assumptions.append(
                    Finding(taken, "a family member bought it, so its state changes only with the purchaser")
                )
            }
            if found.awaitsPayment, account.card == .accepted {
                account.card = .declinedForRenewals
                assumptions.append(Finding("card", "declined for renewals, because a payment failed"))
            }
        } catch {
            quarantine(subject, error.reason)
        }
    }

    private mutating func missingStatuses(_ customer: SourceCustomer) {
        let stated = Set(customer.subscriptions.map(\.original))
        for row in rows where row.isOriginal && row.type == .autoRenewable {
            guard let number = numbers[row.id], !stated.contains(number) else { continue }
            quarantine(
                "subscription \(row.shownOriginalID)",
                "the status answer does not have it; its transactions stay in the history"
            )
        }
    }

    private mutating func quarantine(_ subject: String, _ words: String) {
        quarantined.append(Finding(subject, words))
    }

    // MARK: The comparison

    /// Compares the renewal info of the new account with that of the source.
    private mutating func compare(_ customer: SourceCustomer) {
        let held = Dictionary(account.heldSubscriptions.map { (numbers[$0.originalID] ?? 0, $0) }) { first, _ in first }
        var compared: Set<Int64> = []
        for subscription in customer.subscriptions where compared.insert(subscription.original).inserted {
            guard let own = held[subscription.original] else { continue }
            let info = info(of: own)
            differences += subscription.differences(from: info, own.status, shown: own.shownOriginalID)
        }
    }

    private func info(of subscription: some HeldSubscription) -> RenewalInfo {
        RenewalInfo(of: subscription, held: account, at: instant, catalog: catalog, policy: policy)
    }
}
