import TillCore

/// A period of a subscription as a picture shows it.
package struct TimelinePeriod: Equatable, Sendable {
    /// How it was come by.
    package enum Kind: String, CaseIterable, Sendable {
        /// At the full price.
        case paid
        /// Under an offer that costs nothing.
        case trial
        /// Under any other offer.
        case offer
        /// A family member paid.
        case shared
    }

    /// The row.
    package let transaction: TransactionID
    /// The row's place in the history.
    package let change: Int64
    /// Decides the lane.
    package let productID: String
    /// How it was come by.
    package let kind: Kind
    /// When it begins.
    package let start: Timestamp
    /// When it ends, or another row takes its place.
    package let end: Timestamp
    /// `expiresDate` of the row.
    package let expiresDate: Timestamp
    /// From then on there was no access, because it was refunded or is no longer shared; nil where access was kept.
    package let revokedFrom: Timestamp?
    /// Whether its money went back after it was over.
    package let isRefundedLater: Bool
    /// Why and how far it was taken back.
    package let revocation: Revocation?
    /// Whether another plan took its place.
    package let isSuperseded: Bool
    /// Whether its end was moved.
    package let isExtended: Bool
    /// Whether it was charged and has not begun.
    package let isAhead: Bool
    /// Nil for a family member's copy.
    package let price: Money?
    /// The offer under which it was bought.
    package let offer: AppliedOffer?
    /// Who acted.
    package let reason: TransactionReason
    /// Which month of a commitment it is.
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
        // Who was refunded and bought again at once has the new period from the very instant of the refund.
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

/// A stretch of time.
package struct TimelineStretch: Equatable, Sendable {
    /// When it begins.
    package let start: Timestamp
    /// When it ends.
    package let end: Timestamp
}

/// A payment that could not be made.
package struct TimelineTrouble: Equatable, Sendable {
    /// Whether access goes on.
    package enum Kind: String, CaseIterable, Sendable {
        /// It does.
        case grace
        /// It does not.
        case retry
    }

    /// Whether access goes on.
    package let kind: Kind
    /// When the payment failed, or the grace was over.
    package let start: Timestamp
    /// When it was over, or will be.
    package let end: Timestamp
    /// Whether it is not over.
    package let isOpen: Bool
}

/// A year that is paid monthly, as far as it is in the picture.
package struct TimelineCommitment: Equatable, Sendable {
    /// Decides the lane.
    package let productID: String
    /// The last month that is in the picture.
    package var month: Int
    /// All of them.
    package let months: Int
    /// When the first month that is in the picture begins.
    package let start: Timestamp
    /// When the last month that is in the picture ends.
    package var paidUntil: Timestamp
    /// When it is over.
    package var end: Timestamp
}

/// What comes after the last period.
package enum TimelineNext: Equatable, Sendable {
    /// Nothing.
    case ends(Timestamp)
    /// Another period.
    case renews(Timestamp, productID: String, price: Money?, offer: AppliedOffer?, awaitsConsent: Bool)
}
