import TillCore
import TillStorage

/// The result of an operation that is durable.
package struct Outcome: Sendable {
    /// The account of the customer who performed the operation, as it was committed.
    package let account: Account
    /// The transactions and events of all accounts that the operation affected.
    package let ledger: Ledger

    /// The date of the next event in the customer's account or family; nil if there is none.
    var nextDue: Timestamp? { ledger.accounts.values.compactMap { ledger.nextDue(of: $0) }.min() }

    /// The events of the operation, in order.
    package var events: [Event] { ledger.events }

    /// The existing purchase, if the customer bought a non-consumable again; otherwise nil.
    package var alreadyOwned: Transaction? {
        for case .alreadyOwned(let id) in ledger.events {
            if let transaction = ledger.transactions[id], transaction.account == account.id { return transaction }
        }
        return nil
    }

    /// The transaction that the operation created or changed, in its current state. It is the existing purchase if the
    /// customer already owned the product, else the last transaction of the customer's account that was written.
    package var transaction: Transaction? {
        alreadyOwned
            ?? ledger.transactionChanges.last { $0.after.account == account.id && $0.after.isUpgraded == false }?.after
            ?? ledger.transactionChanges.last { $0.after.account == account.id }?.after
    }
}

/// The error if the server cannot perform an operation now. The caller may try again.
package struct ShopBusy: Error, CustomStringConvertible {
    /// The reason, without a full stop, because the control API makes it a part of a sentence. The App Store Server API
    /// writes it into the request log.
    package let reason: String
    /// Whether the same operation may succeed soon. The engine can reject a change for a reason that stays.
    let isTemporary: Bool

    package var description: String { reason }

    init(reason: String) {
        self.reason = reason
        isTemporary = true
    }

    /// Creates the error for a failed commit, which wrote nothing. The server's log contains the engine's error.
    init(_ failure: CommitFailure) {
        switch failure {
        case .diskFull: (reason, isTemporary) = ("the disk is full", true)
        case .temporary: (reason, isTemporary) = ("the database did not accept the change", true)
        default: (reason, isTemporary) = ("the database did not accept the change", false)
        }
    }
}
