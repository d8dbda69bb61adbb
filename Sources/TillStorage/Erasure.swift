import TillCore

/// An account to erase with everything that belongs to it: transactions, notifications and their deliveries.
package struct Erasure: Sendable {
    /// The account.
    package let account: AccountID
    /// The version that must still be stored.
    package let version: Int64
    /// The numbers of the request log entries to erase with it.
    package let requestLog: [Int64]

    /// An account to erase.
    package init(account: AccountID, version: Int64, requestLog: [Int64] = []) {
        self.account = account
        self.version = version
        self.requestLog = requestLog
    }
}

/// How much data belongs to an account.
package struct Belongings: Equatable, Sendable {
    /// Ledger rows.
    package var transactions: Int
    /// Notifications, requested ones included.
    package var notifications: Int
    /// Their deliveries, finished or pending.
    package var deliveries: Int

    /// Counts.
    package init(transactions: Int = 0, notifications: Int = 0, deliveries: Int = 0) {
        self.transactions = transactions
        self.notifications = notifications
        self.deliveries = deliveries
    }
}
