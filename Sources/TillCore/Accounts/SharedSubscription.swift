/// A family member's access through another member's subscription (docs/api/families.md).
///
/// The member's transactions have no price. The state and the preference are those of the purchaser's subscription;
/// `Ledger.project` copies them on every change. A shared subscription therefore has no offers, prices or deadlines of
/// its own.
package struct SharedSubscription: HeldSubscription {
    /// The kind of purchaser.
    package enum Source: Equatable, Sendable {
        /// A customer of this server.
        case account(AccountID)
        /// A customer who does not exist on this server. Nothing changes the state until the copy is linked.
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

    /// A member's access through another member's subscription.
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

    package var ownership: InAppOwnershipType { .familyShared }
    package var bought: Subscription? { nil }

    /// The purchaser's account; nil if the purchaser does not exist on this server.
    package var owner: AccountID? {
        if case .account(let owner) = source { owner } else { nil }
    }

    /// Whether access can continue: neither the purchaser's subscription nor family sharing has ended.
    package var isLive: Bool { state.isOpen }
}
