import TillCore

/// A subscription period on a timeline.
struct TimelinePeriod: Equatable, Sendable {
    /// How the period was acquired.
    enum Kind: String, CaseIterable, Sendable {
        /// At the full price.
        case paid
        /// With a free offer.
        case trial
        /// With any other offer.
        case offer
        /// Shared by a family member.
        case shared
    }

    /// The transaction of the period.
    let row: Transaction
    /// When the period ends or when another period replaces it.
    let end: Timestamp
    /// Whether the period was extended.
    let isExtended: Bool
    /// Whether the period was charged in advance and has not begun yet.
    let isAhead: Bool

    var start: Timestamp { row.purchaseDate }

    var expiresDate: Timestamp { row.expiresDate ?? end }

    /// The product, which has its own lane.
    var productID: String { row.productID }

    /// How the period was acquired.
    var kind: Kind {
        if row.ownership == .familyShared { return .shared }
        return row.offer.map { $0.mode == .freeTrial ? .trial : .offer } ?? .paid
    }

    /// When a refund or the end of sharing ended access; nil if access continued.
    var revokedFrom: Timestamp? { row.revocation.flatMap { $0.date < end ? max($0.date, start) : nil } }

    /// Whether the period was refunded after its end.
    var isRefundedLater: Bool {
        // After a refund and an immediate new purchase, the new period begins at the time of the refund.
        row.revocation.map { $0.date > end || $0.date == end && (row.isUpgraded || end == row.expiresDate) } ?? false
    }

    /// Whether another plan replaced the period.
    var isSuperseded: Bool { row.isUpgraded }
}

/// A time span.
struct TimelineStretch: Equatable, Sendable {
    let start: Timestamp
    let end: Timestamp
}

/// A grace period or billing retry after a failed payment.
struct TimelineBillingIssue: Equatable, Sendable {
    enum Kind: String, CaseIterable, Sendable {
        /// Access continues.
        case grace
        /// No access.
        case retry
    }

    let kind: Kind
    /// When the payment failed; for billing retry after a grace period, when the grace period ended.
    let start: Timestamp
    /// When the grace period or billing retry ended or will end.
    let end: Timestamp
    /// Whether the grace period or billing retry is still in progress.
    let isOpen: Bool
}

/// The visible part of a commitment that is paid monthly.
struct TimelineCommitment: Equatable, Sendable {
    /// The product, which has its own lane.
    let productID: String
    /// The last visible month.
    let month: Int
    /// The number of months.
    let months: Int
    /// When the first visible month begins.
    let start: Timestamp
    /// When the last visible month ends.
    let paidUntil: Timestamp
    /// When the commitment ends.
    let end: Timestamp
}

/// What follows the last period.
enum TimelineNext: Equatable, Sendable {
    /// The subscription ends.
    case ends(Timestamp)
    /// The subscription renews.
    case renews(Timestamp, productID: String, price: Money?, offer: AppliedOffer?, awaitsConsent: Bool)
}
