import TillCore

/// An account that is erased with everything that belongs to it: rows, notifications and their deliveries.
package struct Erasure: Sendable {
    /// The account.
    package let account: AccountID
    /// The version that must be in the engine still.
    package let version: Int64
    /// Entries of the journal that go with it, by their numbers.
    package let journal: [Int64]

    /// An account that is erased.
    package init(account: AccountID, version: Int64, journal: [Int64] = []) {
        self.account = account
        self.version = version
        self.journal = journal
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
