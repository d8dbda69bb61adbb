import TillCore

/// What somebody wants to do, before it is known to what: which subscription or transaction is meant is read from how
/// the world stands when the time has come, so that a wish fits a life whatever happened in it.
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
    /// To cancel what is not paid, now and then.
    case giveUp
    case resume
    case useCard(Card)
    case askToBuy(Bool)
    case acceptPriceIncrease
    case download
    // The app's.
    case finish
    case setToken
    // Families.
    case join
    case leave
    case share(Bool)
    // Money back.
    case requestRefund
    case reportConsumption
    case refundLatest
    case refundOlder
    case refundAnything
    case declineRefund
    case reverseRefund
    // The developer's and the operator's.
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
    /// Something that must be refused, or means nothing.
    case nonsense

    /// Whether it concerns the whole shop, which must have come to the instant then.
    package var concernsEverybody: Bool {
        switch self {
        case .extendEverybody, .raisePrice, .lowerPrice, .removeFromSale, .returnToSale, .shareProduct, .changeGrace:
            true
        default:
            false
        }
    }
}

/// A wish with all that it means in the world as it stood.
package enum Operation: Sendable {
    /// A customer does something.
    case command(Command, by: String)
    /// The catalogue sells this from now on; then a job is done in every account.
    case sell(Product, job: Job?)
    /// A job is done in every account.
    case job(Job)
    /// The app opts in to a grace period, or out of it.
    case grace(GracePeriod?)
    /// There was nothing to do it to.
    case nothing
}
