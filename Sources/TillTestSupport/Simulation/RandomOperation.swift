import TillCore

/// An operation that a workload plans before the state is known: `RandomOperationReader` picks the subscription or
/// transaction when the time has come, so that the operation fits whatever happened before.
package enum RandomOperation: Equatable, Sendable {
    // Purchases.
    case subscribe
    case subscribeAgain
    case buySameAgain
    case changePlan
    case withdrawPlanChange
    case takeOffer
    case changePlanWithOffer
    case comeBackWithOffer
    case payMonthly
    case buyOnce
    case startPurchaseAndLeave
    case decideHeldPurchase(approved: Bool)
    // The customer's choices.
    case cancel
    /// To cancel unpaid subscriptions, now and then.
    case giveUp
    case resume
    case useCard(Card)
    case askToBuy(Bool)
    case acceptPriceIncrease
    case download
    // The app's operations.
    case finish
    case setToken
    // Families.
    case join
    case leave
    case share(Bool)
    // Refunds.
    case requestRefund
    case reportConsumption
    case refundLatest
    case refundOlder
    case refundAnything
    case declineRefund
    case reverseRefund
    // Operations of the developer and the operator.
    case extend
    case extendEverybody
    case raisePrice
    case lowerPrice
    case removeFromSale
    case returnToSale
    case shareProduct
    case changeGrace
    case useClock
    case processDue
    /// An operation that must be refused, or has no effect.
    case nonsense

    /// Whether it concerns the whole shop, so that all of the shop must first advance to this time.
    package var concernsEverybody: Bool {
        switch self {
        case .extendEverybody, .raisePrice, .lowerPrice, .removeFromSale, .returnToSale, .shareProduct, .changeGrace:
            true
        default:
            false
        }
    }
}

/// A random operation, resolved in the state at its time.
package enum Operation: Sendable {
    /// A customer's command.
    case command(Command, by: String)
    /// The catalog sells this from now on; then a job runs in every account.
    case sell(Product, job: Job?)
    /// A job runs in every account.
    case job(Job)
    /// The app opts in to a grace period, or out of it.
    case grace(GracePeriod?)
    /// The state has no target for it.
    case nothing
}
