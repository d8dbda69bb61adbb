/// A period of a subscription: a transaction with an end date.
package struct SubscriptionPeriod: Equatable, Sendable {
    /// The transaction in the ledger. Its `expiresDate` equals `end`.
    package let transaction: Transaction
    /// The end of the period, in the past or in the future.
    package let end: Timestamp

    /// A period with this end. The transaction's `expiresDate` is set to the end.
    package init(_ transaction: Transaction, until end: Timestamp) {
        var transaction = transaction
        transaction.expiresDate = end
        self.transaction = transaction
        self.end = end
    }

    /// A period that was read from storage.
    ///
    /// - Throws: `DamagedSubscription` if the transaction has no end date.
    package init(_ transaction: Transaction) throws(DamagedSubscription) {
        guard let end = transaction.expiresDate else {
            throw DamagedSubscription("has transaction \(transaction.id.number), a period without an end")
        }
        self.transaction = transaction
        self.end = end
    }

    /// The transaction's identifier.
    package var id: TransactionID { transaction.id }

    /// The beginning of the period. In production it is up to 24 hours after the charge.
    package var start: Timestamp { transaction.purchaseDate }

    /// Whether the transaction was refunded, or the family member lost access.
    package var isRevoked: Bool { transaction.revocation != nil }
}

/// The error for a stored subscription that is inconsistent.
package struct DamagedSubscription: Error, Equatable, Sendable {
    /// What is wrong: the predicate of a sentence about the subscription, without a full stop.
    package let reason: String

    /// A reason why the subscription is inconsistent.
    package init(_ reason: String) {
        self.reason = reason
    }
}
