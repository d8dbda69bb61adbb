import TillCore

/// A subscription period on a timeline.
package struct TimelinePeriod: Equatable, Sendable {
    /// How the period was acquired.
    package enum Kind: String, CaseIterable, Sendable {
        /// At the full price.
        case paid
        /// With a free offer.
        case trial
        /// With any other offer.
        case offer
        /// Shared by a family member.
        case shared
    }

    /// The ID of the transaction.
    package let transaction: TransactionID
    /// The transaction's change number.
    package let change: Int64
    /// The product, which has its own lane.
    package let productID: String
    /// How the period was acquired.
    package let kind: Kind
    /// When the period begins.
    package let start: Timestamp
    /// When the period ends or when another period replaces it.
    package let end: Timestamp
    /// `expiresDate` of the transaction.
    package let expiresDate: Timestamp
    /// When a refund or the end of sharing ended access; nil if access continued.
    package let revokedFrom: Timestamp?
    /// Whether the period was refunded after its end.
    package let isRefundedLater: Bool
    /// The revocation; nil if the transaction is not revoked.
    package let revocation: Revocation?
    /// Whether another plan replaced the period.
    package let isSuperseded: Bool
    /// Whether the period was extended.
    package let isExtended: Bool
    /// Whether the period was charged in advance and has not begun yet.
    package let isAhead: Bool
    /// The price; nil for a shared transaction.
    package let price: Money?
    /// The offer that applied; nil if none did.
    package let offer: AppliedOffer?
    /// Purchase or renewal.
    package let reason: TransactionReason
    /// The month of the commitment; nil for a period without a commitment.
    package let commitment: Commitment?

    init(_ row: Transaction, until end: Timestamp, isExtended: Bool, isAhead: Bool) {
        transaction = row.id
        change = row.change
        productID = row.productID
        kind =
            row.ownership == .familyShared
            ? .shared : row.offer == nil ? .paid : row.offer?.mode == .freeTrial ? .trial : .offer
        start = row.purchaseDate
        self.end = end
        expiresDate = row.expiresDate ?? end
        revocation = row.revocation
        revokedFrom = row.revocation.flatMap { $0.date < end ? max($0.date, row.purchaseDate) : nil }
        // After a refund and an immediate new purchase, the new period begins at the time of the refund.
        isRefundedLater =
            row.revocation.map { $0.date > end || $0.date == end && (row.isUpgraded || end == row.expiresDate) }
            ?? false
        isSuperseded = row.isUpgraded
        self.isExtended = isExtended
        self.isAhead = isAhead
        price = row.price
        offer = row.offer
        reason = row.reason
        commitment = row.commitment
    }
}

/// A time span.
package struct TimelineStretch: Equatable, Sendable {
    /// The first instant.
    package let start: Timestamp
    /// The end.
    package let end: Timestamp
}

/// A grace period or billing retry after a failed payment.
package struct TimelineBillingIssue: Equatable, Sendable {
    /// Whether the customer keeps access.
    package enum Kind: String, CaseIterable, Sendable {
        /// Access continues.
        case grace
        /// No access.
        case retry
    }

    /// Whether the customer keeps access.
    package let kind: Kind
    /// When the payment failed; for billing retry after a grace period, when the grace period ended.
    package let start: Timestamp
    /// When the grace period or billing retry ended or will end.
    package let end: Timestamp
    /// Whether the grace period or billing retry is still in progress.
    package let isOpen: Bool
}

/// The visible part of a commitment that is paid monthly.
package struct TimelineCommitment: Equatable, Sendable {
    /// The product, which has its own lane.
    package let productID: String
    /// The last visible month.
    package var month: Int
    /// The number of months.
    package let months: Int
    /// When the first visible month begins.
    package let start: Timestamp
    /// When the last visible month ends.
    package var paidUntil: Timestamp
    /// When the commitment ends.
    package var end: Timestamp
}

/// What follows the last period.
package enum TimelineNext: Equatable, Sendable {
    /// The subscription ends.
    case ends(Timestamp)
    /// The subscription renews.
    case renews(Timestamp, productID: String, price: Money?, offer: AppliedOffer?, awaitsConsent: Bool)
}
