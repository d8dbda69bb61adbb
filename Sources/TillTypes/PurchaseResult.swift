/// The result of a purchase. A purchase by a current subscriber may create no transaction, so the transaction in the
/// response does not always show the result.
public enum PurchaseResult: String, Codable, CaseIterable, Sendable {
    /// The customer bought a one-time product.
    case purchased
    /// The customer subscribed to the group for the first time.
    case subscribed
    /// The customer subscribed again after the subscription had expired or been revoked.
    case resubscribed
    /// A renewal whose payment had failed is now paid (billing recovery).
    case recovered
    /// A product of a higher level replaced the current product at once.
    case upgraded
    /// Another product of the same level replaced the current product at once.
    case crossgraded
    /// A product of a lower level will begin at the next renewal.
    case downgradeScheduled
    /// Another product of the same level will begin at the next renewal.
    case crossgradeScheduled
    /// The subscription will use the other billing plan from the next renewal.
    case billingPlanScheduled
    /// An offer will apply from the next renewal.
    case offerScheduled
    /// The customer withdrew a scheduled change.
    case changeWithdrawn
    /// The customer already owns this non-consumable.
    case alreadyOwned
    /// The purchase is on hold until a parent approves it or the customer completes it.
    case held

    /// Whether the purchase created a transaction.
    public var hasTransaction: Bool {
        switch self {
        case .purchased, .subscribed, .resubscribed, .recovered, .upgraded, .crossgraded: true
        case .downgradeScheduled, .crossgradeScheduled, .billingPlanScheduled, .offerScheduled, .changeWithdrawn,
            .alreadyOwned, .held:
            false
        }
    }
}
