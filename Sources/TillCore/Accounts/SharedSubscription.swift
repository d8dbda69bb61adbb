/// A family member's access through another member's subscription (docs/api/families.md).
///
/// It has its own transactions, without a price. Its state and preference are those of the purchaser's subscription;
/// `Ledger.project` copies them on every change. So it has no offers, prices or deadlines.
package struct SharedSubscription: HeldSubscription {
    /// The purchaser.
    package enum Source: Equatable, Sendable {
        /// A customer of this store.
        case account(AccountID)
        /// A customer whom the store does not know. The state changes only by another import.
        case external
    }

    package let groupID: String
    package var originalID: TransactionID
    package let originalPurchaseDate: Timestamp
    /// The purchaser.
    package let source: Source
    package var state: SubscriptionState
    package var preference: RenewalPreference
    package var recentStart: Timestamp

    /// A member's access through a purchase.
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

    /// Whether access continues: neither the purchaser's subscription nor the sharing has ended.
    package var isLive: Bool { state.isOpen }
}
