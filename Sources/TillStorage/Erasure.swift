import TillCore

/// An account to erase, together with its transactions, notifications and deliveries. The engine also removes the
/// customer's name from the audit log.
package struct Erasure: Sendable {
    /// The account to erase.
    package let account: AccountID
    /// The version that the stored account must still have.
    package let version: Int64
    /// The app and the environment of the account.
    package let scope: AccountScope
    /// The customer's name.
    package let customer: String
    /// The numbers of the request log entries to erase together with the account.
    package let requestLog: [Int64]

    /// An account to erase, together with request log entries.
    package init(_ account: Account, requestLog: [Int64] = []) {
        self.account = account.id
        version = account.version
        scope = account.scope
        customer = account.customer
        self.requestLog = requestLog
    }
}

/// The amount of data that belongs to an account.
package struct Belongings: Equatable, Sendable {
    /// The number of ledger transactions.
    package var transactions: Int
    /// The number of notifications, including requested ones.
    package var notifications: Int
    /// The number of deliveries, both finished and pending.
    package var deliveries: Int

    /// The counts of an account's data.
    package init(transactions: Int = 0, notifications: Int = 0, deliveries: Int = 0) {
        self.transactions = transactions
        self.notifications = notifications
        self.deliveries = deliveries
    }
}
