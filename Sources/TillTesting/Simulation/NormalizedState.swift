import TillCore

/// A shop as it was seen, by customer, without what two ways through the same time may do differently: which numbers
/// the ids have, when something was signed, how often it was written.
struct NormalizedState: Sendable {
    /// All of one customer.
    struct Likeness: Equatable, Sendable {
        var account: Account
        /// In the order of the history.
        var rows: [Transaction]
        /// In the order in which they came about.
        var notifications: [Notification]
        /// In the same order.
        var attempts: [NotificationAttempts] = []
    }

    private(set) var customers: [String: Likeness] = [:]
    private var names: [Int64: Int64] = [:]

    /// - Parameters:
    ///   - attempts: by the customer's name.
    ///   - isExact: whether the dates of signatures count too.
    init(of observation: Observation, _ attempts: [String: [NotificationAttempts]] = [:], isExact: Bool) {
        var rows: [AccountID: [Transaction]] = [:]
        for row in observation.rows.values { rows[row.account, default: []].append(row) }
        for account in observation.accounts.values { name(rows[account.id] ?? [], of: account) }
        let notifications = Dictionary(grouping: observation.notifications, by: \.account)
        for (customer, account) in observation.accounts {
            var likeness = Likeness(
                account: portrayed(account),
                rows: (rows[account.id] ?? []).map(portrayed).sorted { $0.change < $1.change },
                notifications: (notifications[account.id] ?? []).sorted { $0.number < $1.number }.map(portrayed)
            )
            if !isExact { likeness.forgetDates() }
            likeness.attempts = attempts[customer] ?? []
            customers[customer] = likeness
        }
    }

    /// Gives every id of an account a number by the order in which the ids came about.
    private mutating func name(_ rows: [Transaction], of account: Account) {
        let ordered = rows.sorted { Identifiers.counter(of: $0.id) < Identifiers.counter(of: $1.id) }
        for (place, row) in ordered.enumerated() {
            let base = account.id.number / 1_024 % 1_000 * 1_000_000 + Int64(place) * 10
            names[row.id.number] = base
            if let lineItem = row.lineItem { names[lineItem] = base + 1 }
            if let order = row.order, names[-order.number] == nil { names[-order.number] = base + 2 }
        }
    }

    private func portrayed(_ id: TransactionID) -> TransactionID { TransactionID(names[id.number] ?? id.number) }

    private func portrayed(_ row: Transaction) -> Transaction {
        var row = row
        row.id = portrayed(row.id)
        row.originalID = portrayed(row.originalID)
        row.lineItem = row.lineItem.map { names[$0] ?? $0 }
        row.order = row.order.map { OrderID(names[-$0.number] ?? $0.number) }
        row.sharedFrom = row.sharedFrom.map(portrayed)
        return row
    }

    private func portrayed(_ copy: SharedSubscription) -> SharedSubscription {
        var copy = copy
        copy.originalID = portrayed(copy.originalID)
        copy.state = copy.state.map(portrayed)
        return copy
    }

    private func portrayed(_ subscription: Subscription) -> Subscription {
        var subscription = subscription
        subscription.originalID = portrayed(subscription.originalID)
        subscription.state = subscription.state.map(portrayed)
        subscription.replacedRefunds = subscription.replacedRefunds.map(portrayed)
        for place in subscription.extensions.indices {
            subscription.extensions[place].lineItem = subscription.extensions[place].lineItem.map { names[$0] ?? $0 }
        }
        return subscription
    }

    private func portrayed(_ account: Account) -> Account {
        var account = account
        account.version = 0
        account.subscriptions = account.subscriptions.map(portrayed)
        account.sharedSubscriptions = account.sharedSubscriptions.map(portrayed)
        for place in account.holdings.indices {
            account.holdings[place].transaction = portrayed(account.holdings[place].transaction)
            account.holdings[place].source = account.holdings[place].source.map(portrayed)
        }
        for place in account.refundRequests.indices {
            account.refundRequests[place].transaction = portrayed(account.refundRequests[place].transaction)
        }
        return account
    }

    private func portrayed(_ notification: Notification) -> Notification {
        var notification = notification
        notification.transaction = portrayed(notification.transaction)
        if let original = notification.renewalInfo?.originalID {
            notification.renewalInfo?.originalID = portrayed(original)
        }
        return notification
    }
}

extension NormalizedState.Likeness {
    /// Sets the dates of signatures and changes aside.
    fileprivate mutating func forgetDates() {
        let never = Timestamp(milliseconds: 0)
        func forget(_ row: inout Transaction) { row.modifiedDate = never }
        func forgotten(_ state: SubscriptionState) -> SubscriptionState {
            state.map { row in
                var row = row
                forget(&row)
                return row
            }
        }
        account.lastSigned = nil
        for place in account.subscriptions.indices {
            account.subscriptions[place].state = forgotten(account.subscriptions[place].state)
        }
        for place in account.sharedSubscriptions.indices {
            account.sharedSubscriptions[place].state = forgotten(account.sharedSubscriptions[place].state)
        }
        for place in rows.indices { forget(&rows[place]) }
        for place in notifications.indices {
            notifications[place].signedDate = never
            forget(&notifications[place].transaction)
        }
    }
}

extension NormalizedState {
    /// The first thing in which another normalized state is different, with both values; nil when they are equal.
    func difference(from other: NormalizedState) -> String? {
        for customer in Set(customers.keys).union(other.customers.keys).sorted() {
            guard let mine = customers[customer], let theirs = other.customers[customer] else {
                return "customer \(customer) is in one of them only"
            }
            guard mine != theirs else { continue }
            let notifications = NormalizedState.first(of: mine.notifications, theirs.notifications) { $0.words }
            let rows = NormalizedState.first(of: mine.rows, theirs.rows) {
                "\($0.productID) of \($0.purchaseDate.iso8601)"
            }
            let attempts = NormalizedState.first(of: mine.attempts, theirs.attempts) { $0.words }
            let account = Unlike.parts(of: mine.account, and: theirs.account, named: "account")
            let found =
                notifications.map { "notification \($0)" } ?? rows.map { "row \($0)" }
                ?? attempts.map { "the attempts to deliver notification \($0)" }
            return "\(customer): " + (found ?? account.joined(separator: "\n  "))
        }
        return nil
    }

    private static func first<Thing: Equatable>(
        of mine: [Thing],
        _ theirs: [Thing],
        called name: (Thing) -> String
    ) -> String? {
        for place in 0..<max(mine.count, theirs.count) {
            guard place < mine.count else { return "\(place + 1), \(name(theirs[place])), is missing in the first" }
            guard place < theirs.count else { return "\(place + 1), \(name(mine[place])), is missing in the second" }
            guard mine[place] != theirs[place] else { continue }
            let parts = Unlike.parts(of: mine[place], and: theirs[place], named: name(mine[place]))
            return "\(place + 1) differs:\n  " + parts.joined(separator: "\n  ")
        }
        return nil
    }
}

extension Notification {
    /// `DID_RENEW`, `EXPIRED/VOLUNTARY`…
    package var words: String { Notice(type, subtype).words }
}

/// Finds the parts in which two values of one type are different.
enum Unlike {
    /// One line for each such part: its path and both values.
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
