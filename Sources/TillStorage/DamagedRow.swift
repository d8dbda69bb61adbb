/// A row of the ledger that holds a value which no version of Till wrote.
package struct DamagedRow: Error, Equatable, CustomStringConvertible {
    /// The transaction.
    package let transaction: Int64
    /// The account that has it.
    package let account: Int64
    /// The column of the table `ledger` whose value cannot be.
    package let column: String

    /// A damaged value.
    package init(transaction: Int64, account: Int64, column: String) {
        self.transaction = transaction
        self.account = account
        self.column = column
    }

    /// What is wrong: a clause without a full stop.
    package var reason: String { "transaction \(transaction) has a damaged \(column)" }

    /// Names the account, the value and the way out.
    package var description: String {
        "account \(account) is damaged: \(reason); run till doctor, then restore a backup or a snapshot that was made "
            + "before"
    }
}
