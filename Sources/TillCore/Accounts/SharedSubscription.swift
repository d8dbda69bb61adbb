/// A family member's access by somebody else's subscription (docs/api/families.md).
///
/// It has transactions of its own, without a price. Its state and preference are those of the purchaser's subscription;
/// `Ledger.project` copies them whenever that changes. So it has no offers, prices or deadlines.
package struct SharedSubscription: HeldSubscription {
    /// Whose purchase it is.
    package enum Source: Equatable, Sendable {
        /// A customer of this store.
        case account(AccountID)
        /// A customer whom the store does not know. The state stays as it is until it is imported again.
        case external
    }

    package let groupID: String
    package var originalID: TransactionID
    package let originalPurchaseDate: Timestamp
    /// Whose purchase it is.
    package let source: Source
    package var state: SubscriptionState
    package var preference: RenewalPreference
    package var recentStart: Timestamp

    /// A member's access by a purchase.
    package init(
        groupID: String,
        originalID: TransactionID,
        originalPurchaseDate: Timestamp,
        source: Source,
        state: SubscriptionState,
        preference: RenewalPreference,
        recentStart: Timestamp
    ) {
        self.groupID = groupID
        self.originalID = originalID
        self.originalPurchaseDate = originalPurchaseDate
        self.source = source
        self.state = state
        self.preference = preference
        self.recentStart = recentStart
    }

    package var ownership: Ownership { .familyShared }
    package var bought: Subscription? { nil }

    /// The purchaser's account; nil for a purchaser whom the store does not know.
    package var owner: AccountID? {
        if case .account(let owner) = source { owner } else { nil }
    }

    /// Whether the access has not ended: neither by the purchaser's subscription nor by the end of sharing.
    package var isLive: Bool { state.isOpen }
}
