/// The result of a purchase. A purchase by a current subscriber may add no new transaction, so the transaction in an
/// answer does not show the result.
package enum PurchaseResult: String, CaseIterable, Sendable {
    /// A one-time product was bought.
    case purchased
    /// A subscription began.
    case subscribed
    /// An expired or revoked subscription began again.
    case resubscribed
    /// A renewal that could not be charged was paid.
    case recovered
    /// A product of a higher level began at once.
    case upgraded
    /// Another product of the same level began at once.
    case crossgraded
    /// A product of a lower level begins with the next renewal.
    case downgradeScheduled
    /// Another product of the same level begins with the next renewal.
    case crossgradeScheduled
    /// The same product uses the other billing plan from the next renewal on.
    case billingPlanScheduled
    /// An offer applies from the next renewal on.
    case offerScheduled
    /// A scheduled change was withdrawn.
    case changeWithdrawn
    /// The customer owns this non-consumable already.
    case alreadyOwned
    /// The purchase waits for a parent's approval, or for the customer to complete it.
    case held

    /// Whether the purchase made a new transaction.
    package var hasTransaction: Bool {
        switch self {
        case .purchased, .subscribed, .resubscribed, .recovered, .upgraded, .crossgraded: true
        case .downgradeScheduled, .crossgradeScheduled, .billingPlanScheduled, .offerScheduled, .changeWithdrawn,
            .alreadyOwned, .held:
            false
        }
    }
}
