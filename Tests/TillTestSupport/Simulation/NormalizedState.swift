import TillCore

/// The observed state of a shop, by customer. It leaves out what may differ between two ways to pass the same time: the
/// numbers in ids, the signature dates, and the numbers of writes.
struct NormalizedState: Sendable {
    /// The complete state of one customer.
    struct CustomerState: Equatable, Sendable {
        var account: Account
        /// The customer's transactions, in the order of the transaction history.
        var rows: [Transaction]
        /// The customer's notifications, in the order of their creation.
        var notifications: [Notification]
        /// The delivery attempts of each notification, in the order of `notifications`.
        var attempts: [NotificationAttempts] = []
    }

    private(set) var customers: [String: CustomerState] = [:]
    private var names: [Int64: Int64] = [:]

    /// - Parameters:
    ///   - attempts: The delivery attempts, by the customer's name.
    ///   - isExact: Whether signature dates must be equal, too.
    init(of observation: Observation, _ attempts: [String: [NotificationAttempts]] = [:], isExact: Bool) {
        var rows: [AccountID: [Transaction]] = [:]
        for row in observation.rows.values { rows[row.account, default: []].append(row) }
        for account in observation.accounts.values { name(rows[account.id] ?? [], of: account) }
        let notifications = Dictionary(grouping: observation.notifications, by: \.account)
        for (customer, account) in observation.accounts {
            var state = CustomerState(
                account: normalized(account),
                rows: (rows[account.id] ?? []).map(normalized).sorted { $0.change < $1.change },
                notifications: (notifications[account.id] ?? []).sorted { $0.number < $1.number }.map(normalized)
            )
            if !isExact { state.clearDates() }
            state.attempts = attempts[customer] ?? []
            customers[customer] = state
        }
    }

    /// Replaces every id of an account with a number that follows the order in which the ids were created.
    private mutating func name(_ rows: [Transaction], of account: Account) {
        let ordered = rows.sorted { Identifiers.counter(of: $0.id) < Identifiers.counter(of: $1.id) }
        for (place, row) in ordered.enumerated() {
            let base = account.id.number / 1_024 % 1_000 * 1_000_000 + Int64(place) * 10
            names[row.id.number] = base
            if let lineItem = row.lineItem { names[lineItem] = base + 1 }
            if let order = row.order, names[-order.number] == nil { names[-order.number] = base + 2 }
        }
    }

    private func normalized(_ id: TransactionID) -> TransactionID { TransactionID(names[id.number] ?? id.number) }

    private func normalized(_ row: Transaction) -> Transaction {
        var row = row
        row.id = normalized(row.id)
        row.originalID = normalized(row.originalID)
        row.lineItem = row.lineItem.map { names[$0] ?? $0 }
        row.order = row.order.map { OrderID(names[-$0.number] ?? $0.number) }
        row.sharedFrom = row.sharedFrom.map(normalized)
        return row
    }

    private func normalized(_ copy: SharedSubscription) -> SharedSubscription {
        var copy = copy
        copy.originalID = normalized(copy.originalID)
        copy.state = copy.state.map(normalized)
        return copy
    }

    private func normalized(_ subscription: Subscription) -> Subscription {
        var subscription = subscription
        subscription.originalID = normalized(subscription.originalID)
        subscription.state = subscription.state.map(normalized)
        subscription.replacedRefunds = subscription.replacedRefunds.map(normalized)
        for place in subscription.extensions.indices {
            subscription.extensions[place].lineItem = subscription.extensions[place].lineItem.map { names[$0] ?? $0 }
        }
        return subscription
    }

    private func normalized(_ account: Account) -> Account {
        var account = account
        account.version = 0
        account.subscriptions = account.subscriptions.map(normalized)
        account.sharedSubscriptions = account.sharedSubscriptions.map(normalized)
        for place in account.ownedProducts.indices {
            account.ownedProducts[place].transaction = normalized(account.ownedProducts[place].transaction)
            account.ownedProducts[place].source = account.ownedProducts[place].source.map(normalized)
        }
        for place in account.refundRequests.indices {
            account.refundRequests[place].transaction = normalized(account.refundRequests[place].transaction)
        }
        return account
    }

    private func normalized(_ notification: Notification) -> Notification {
        var notification = notification
        notification.transaction = normalized(notification.transaction)
        if let original = notification.renewalInfo?.originalID {
            notification.renewalInfo?.originalID = normalized(original)
        }
        return notification
    }
}

extension NormalizedState.CustomerState {
    /// Removes the dates of signatures and of changes.
    fileprivate mutating func clearDates() {
        let never = Timestamp(milliseconds: 0)
        func clear(_ row: inout Transaction) { row.modifiedDate = never }
        func cleared(_ state: SubscriptionState) -> SubscriptionState {
            state.map { row in
                var row = row
                clear(&row)
                return row
            }
        }
        account.lastSigned = nil
        for place in account.subscriptions.indices {
            account.subscriptions[place].state = cleared(account.subscriptions[place].state)
        }
        for place in account.sharedSubscriptions.indices {
            account.sharedSubscriptions[place].state = cleared(account.sharedSubscriptions[place].state)
        }
        for place in rows.indices { clear(&rows[place]) }
        for place in notifications.indices {
            notifications[place].signedDate = never
            clear(&notifications[place].transaction)
        }
    }
}

extension NormalizedState {
    /// The first difference from another normalized state, with the values of both states; nil if the states are equal.
    func difference(from other: NormalizedState) -> String? {
        for customer in Set(customers.keys).union(other.customers.keys).sorted() {
            guard let mine = customers[customer], let theirs = other.customers[customer] else {
                return "customer \(customer) exists in only one of the two states"
            }
            guard mine != theirs else { continue }
            let notifications = NormalizedState.first(of: mine.notifications, theirs.notifications) { $0.words }
            let rows = NormalizedState.first(of: mine.rows, theirs.rows) {
                "\($0.productID) of \($0.purchaseDate.iso8601)"
            }
            let attempts = NormalizedState.first(of: mine.attempts, theirs.attempts) { $0.words }
            let account = ValueDifference.parts(of: mine.account, and: theirs.account, named: "account")
            let found =
                notifications.map { "notification \($0)" } ?? rows.map { "row \($0)" }
                ?? attempts.map { "the attempts to deliver notification \($0)" }
            return "\(customer): " + (found ?? account.joined(separator: "\n  "))
        }
        return nil
    }

    private static func first<Element: Equatable>(
        of mine: [Element],
        _ theirs: [Element],
        called name: (Element) -> String
    ) -> String? {
        for place in 0..<max(mine.count, theirs.count) {
            guard place < mine.count else { return "\(place + 1), \(name(theirs[place])), is missing in the first" }
            guard place < theirs.count else { return "\(place + 1), \(name(mine[place])), is missing in the second" }
            guard mine[place] != theirs[place] else { continue }
            let parts = ValueDifference.parts(of: mine[place], and: theirs[place], named: name(mine[place]))
            return "\(place + 1) differs:\n  " + parts.joined(separator: "\n  ")
        }
        return nil
    }
}

extension Notification {
    /// The notification type and subtype, such as `DID_RENEW` or `EXPIRED/VOLUNTARY`.
    package var words: String { Notice(type, subtype).words }
}

/// Finds the properties in which two values of the same type differ.
enum ValueDifference {
    /// One line for each property that differs: its path, and its value in both.
    static func parts(of mine: Any, and theirs: Any, named path: String) -> [String] {
        let left = Mirror(reflecting: mine)
        let right = Mirror(reflecting: theirs)
        let children = Array(left.children)
        let others = Array(right.children)
        guard !children.isEmpty, children.count == others.count, left.displayStyle != .set else {
            let texts = (String(describing: mine), String(describing: theirs))
            return texts.0 == texts.1 ? [] : ["\(path): \(texts.0) and \(texts.1)"]
        }
        return zip(children, others).enumerated().flatMap { place, pair in
            parts(of: pair.0.value, and: pair.1.value, named: "\(path).\(pair.0.label ?? String(place))")
        }
    }
}
