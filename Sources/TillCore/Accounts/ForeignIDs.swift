/// The ids that another App Store server gave to an imported transaction (docs/client/import.md). Payloads and answers
/// show them in place of Till's own ids, which the rules use.
package struct ForeignIDs: Codable, Equatable, Sendable {
    /// `transactionId`; nil for a transaction that Till created after the import.
    package var transaction: String?
    /// `originalTransactionId`; nil if the original transaction is one that Till created.
    package var original: String?
    /// `appTransactionId`.
    package var account: String?
    /// The order id; nil if it is not known, because no answer contains it.
    package var order: String?

    /// The ids of another server.
    package init(transaction: String? = nil, original: String? = nil, account: String? = nil, order: String? = nil) {
        self.transaction = transaction
        self.original = original
        self.account = account
        self.order = order
    }
}

extension Transaction {
    /// `transactionId` in payloads and answers.
    package var shownID: String { foreign?.transaction ?? id.wireForm }
    /// `originalTransactionId` in payloads and answers.
    package var shownOriginalID: String { foreign?.original ?? originalID.wireForm }
    /// `appTransactionId` in payloads and answers.
    package var shownAccountID: String { foreign?.account ?? account.wireForm }
    /// The order id in answers; nil for a copy, and for an imported transaction whose order is not known.
    package var shownOrderID: String? { foreign?.order ?? order?.wireForm }
}

extension Account {
    /// `appTransactionId` in payloads and answers.
    package var shownID: String { foreignID ?? id.wireForm }

    /// The ids of another server for a new transaction of an imported customer; nil for all other customers.
    func foreignIDs(of new: Transaction) -> ForeignIDs? {
        guard let foreignID else { return nil }
        let held = new.isOriginal ? nil : heldSubscription(new.originalID)
        return ForeignIDs(original: held?.latestTransaction.foreign?.original, account: foreignID)
    }
}

extension HeldSubscription {
    /// `originalTransactionId` in payloads and answers.
    package var shownOriginalID: String { latestTransaction.shownOriginalID }
}
