/// A period of a subscription: a transaction with an end.
package struct SubscriptionPeriod: Equatable, Sendable {
    /// The transaction as in the ledger. Its `expiresDate` is `end`.
    package let transaction: Transaction
    /// When the period ends, or ended.
    package let end: Timestamp

    /// A period with an end; the transaction's `expiresDate` is set to it.
    package init(_ transaction: Transaction, until end: Timestamp) {
        var transaction = transaction
        transaction.expiresDate = end
        self.transaction = transaction
        self.end = end
    }

    /// A period as it was stored.
    ///
    /// - Throws: `DamagedSubscription` when the transaction has no end.
    package init(_ transaction: Transaction) throws(DamagedSubscription) {
        guard let end = transaction.expiresDate else {
            throw DamagedSubscription("has transaction \(transaction.id.number), a period without an end")
        }
        self.transaction = transaction
        self.end = end
    }

    /// The transaction's identifier.
    package var id: TransactionID { transaction.id }

    /// When the period begins; in production up to 24 hours after it was charged.
    package var start: Timestamp { transaction.purchaseDate }

    /// Whether the transaction was refunded, or family access through it ended.
    package var isRevoked: Bool { transaction.revocation != nil }
}

/// A stored subscription that contradicts itself.
package struct DamagedSubscription: Error, Equatable, Sendable {
    /// What is wrong: a predicate about the subscription, without a full stop.
    package let reason: String

    /// A contradiction in a subscription.
    package init(_ reason: String) {
        self.reason = reason
    }
}
