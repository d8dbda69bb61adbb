/// A customer's subscription to a group: one entry for each group and ownership, whatever products it went through.
package struct Subscription: Codable, Equatable, Sendable {
    /// `subscriptionGroupIdentifier` on the wire.
    package var groupID: String
    /// A customer may have one of each in a group: bought, and shared by the family.
    package var ownership: Ownership
    /// The id of the first purchase in the group; kept through every change and resubscription.
    package var originalID: TransactionID
    /// The same in every row of the subscription, in whole seconds.
    package var originalPurchaseDate: Timestamp
    /// The latest transaction, as it stands in the ledger.
    package var current: Transaction
    /// Set by a purchase or a change of plan; `autoRenewStatus` on the wire.
    package var autoRenews: Bool
    /// The product of the next period.
    package var nextProductID: String
    /// An offer that the next period carries.
    package var pendingOffer: PendingOffer?
    /// The start of the present run without a long gap.
    package var recentStart: Timestamp
    /// The day of the month, in Pacific time, on which the present run of periods began.
    package var anchorDay: Int
    /// The token that coming renewals carry.
    package var appAccountToken: String?
    /// Milliseconds of service that were paid for, over all periods.
    package var paidService: Int64
    /// For a family member's copy: whose purchase it is.
    package var sharedFrom: AccountID?

    /// The end of the latest period, past or to come.
    package var renewalDate: Timestamp {
        guard let date = current.expiresDate else {
            preconditionFailure("transaction \(current.id.number) of a subscription has no expiry date")
        }
        return date
    }

    /// How the subscription stands at an instant.
    package func status(at now: Timestamp) -> SubscriptionStatus {
        if current.revocation != nil { return .revoked }
        return now < renewalDate ? .active : .expired
    }
}

/// `status` on the wire (docs/api/subscriptions.md).
package enum SubscriptionStatus: Int, Codable, CaseIterable, Sendable {
    case active = 1
    case expired = 2
    case billingRetry = 3
    case gracePeriod = 4
    case revoked = 5
}

/// `expirationIntent` on the wire: why a subscription ended.
package enum ExpirationIntent: Int, Codable, Sendable {
    case customer = 1
    case billing = 2
    case priceIncrease = 3
    case productUnavailable = 4
    case other = 5
}
