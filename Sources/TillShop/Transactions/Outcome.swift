import TillCore
import TillStorage

/// The result of an operation, once it is durable.
package struct Outcome: Sendable {
    /// The acting account as it was committed.
    package let account: Account
    /// Transactions and events of all accounts that took part.
    package let ledger: Ledger

    /// When the next event is due in the acting account or its family.
    var nextDue: Timestamp? { ledger.accounts.values.compactMap { ledger.nextDue(of: $0) }.min() }

    /// What happened, in order.
    package var events: [Event] { ledger.events }

    /// The existing purchase, when the acting account bought a non-consumable again.
    package var alreadyOwned: Transaction? {
        for case .alreadyOwned(let id) in ledger.events {
            if let transaction = ledger.transactions[id], transaction.account == account.id { return transaction }
        }
        return nil
    }

    /// The transaction that the operation was about, as it now is: the last one of the acting account that it wrote,
    /// else the purchase that already existed.
    package var transaction: Transaction? {
        alreadyOwned
            ?? ledger.transactionChanges.last { $0.after.account == account.id && $0.after.isUpgraded == false }?.after
            ?? ledger.transactionChanges.last { $0.after.account == account.id }?.after
    }
}

/// The store cannot accept the operation now; the caller may try again.
package struct ShopBusy: Error, CustomStringConvertible {
    /// Without a full stop: the control API puts it into a sentence, Apple's API into the request log.
    package let reason: String

    package var description: String { reason }

    init(reason: String) { self.reason = reason }

    /// Nothing was written; the log has the engine's error.
    init(_ failure: CommitFailure) {
        if case .diskFull = failure {
            reason = "there is no room on the disk"
        } else {
            reason = "the store did not accept the change"
        }
    }
}
