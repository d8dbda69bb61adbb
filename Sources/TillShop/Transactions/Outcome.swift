import TillCore
import TillStorage

/// What came of an act, once it is durable.
package struct Outcome: Sendable {
    /// The acting account as it was committed.
    package let account: Account
    /// Rows and events of everybody concerned.
    package let ledger: Ledger

    /// When something happens next by itself in the acting account or its family.
    var nextDue: Timestamp? { ledger.accounts.values.compactMap { ledger.nextDue(of: $0) }.min() }

    /// What happened, in order.
    package var events: [Event] { ledger.events }

    /// The purchase that the acting account has, when it bought a non-consumable again.
    package var alreadyOwned: Transaction? {
        for case .alreadyOwned(let id) in ledger.events {
            if let row = ledger.rows[id], row.account == account.id { return row }
        }
        return nil
    }

    /// The row of the acting account that the act was about, as it now is: the last one it wrote, else the one it
    /// named.
    package var transaction: Transaction? {
        alreadyOwned
            ?? ledger.rowChanges.last { $0.after.account == account.id && $0.after.isUpgraded == false }?.after
            ?? ledger.rowChanges.last { $0.after.account == account.id }?.after
    }
}

/// The store cannot take the act now; the caller may try again.
package struct ShopBusy: Error, CustomStringConvertible {
    /// No full stop at its end: control puts it into a sentence, the API into the request log.
    package let reason: String

    package var description: String { reason }

    init(reason: String) { self.reason = reason }

    /// Nothing was written; the log has what the engine said.
    init(_ failure: CommitFailure) {
        if case .noRoom = failure {
            reason = "there is no room on the disk"
        } else {
            reason = "the store did not take the change"
        }
    }
}
