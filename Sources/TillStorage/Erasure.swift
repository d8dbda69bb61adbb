import TillCore

/// An account that is erased with everything that belongs to it: rows, notifications and their deliveries.
package struct Erasure: Sendable {
    /// The account.
    package let account: AccountID
    /// The version that must be in the engine still.
    package let version: Int64
    /// Entries of the request log that go with it, by their numbers.
    package let requestLog: [Int64]

    /// An account that is erased.
    package init(account: AccountID, version: Int64, requestLog: [Int64] = []) {
        self.account = account
        self.version = version
        self.requestLog = requestLog
    }
}

/// How much belongs to an account.
package struct Belongings: Equatable, Sendable {
    /// Ledger rows.
    package var transactions: Int
    /// Notifications, whoever asked for them.
    package var notifications: Int
    /// Deliveries of these, done or owed.
    package var deliveries: Int

    /// So much.
    package init(transactions: Int = 0, notifications: Int = 0, deliveries: Int = 0) {
        self.transactions = transactions
        self.notifications = notifications
        self.deliveries = deliveries
    }
}
