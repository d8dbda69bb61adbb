import TillCore

/// An operation that a workload plans before the state is known. `RandomOperationReader` picks the subscription or
/// transaction when the operation is due, so that the operation fits the state at that time.
package enum RandomOperation: Equatable, Sendable {
    // Operations that buy something.
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
    // Operations with which the customer changes a subscription.
    case cancel
    /// Sometimes cancels a subscription whose renewal payment failed.
    case giveUp
    case resume
    case useCard(Card)
    case askToBuy(Bool)
    case acceptPriceIncrease
    case download
    // Operations of the app on the device.
    case finish
    case setToken
    // Operations on families.
    case join
    case leave
    case share(Bool)
    // Operations on refunds.
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
    /// A command that must be refused or has no effect.
    case nonsense

    /// Whether the operation affects the whole shop. All customers must reach its time before it runs.
    package var concernsEverybody: Bool {
        switch self {
        case .extendEverybody, .raisePrice, .lowerPrice, .removeFromSale, .returnToSale, .shareProduct, .changeGrace:
            true
        default:
            false
        }
    }
}

/// An operation with the subscription or transaction that `RandomOperationReader` picked.
package enum Operation: Sendable {
    /// A customer's command.
    case command(Command, by: String)
    /// Puts a product with these properties in the catalog; then a job runs in every account.
    case sell(Product, job: Job?)
    /// Runs a job in every account.
    case job(Job)
    /// Sets the app's grace period; nil turns the grace period off.
    case grace(GracePeriod?)
    /// Does nothing, because the state has no subscription or transaction for the operation.
    case nothing
}
