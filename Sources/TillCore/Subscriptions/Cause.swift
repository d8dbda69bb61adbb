/// Everything that can change a subscription: an action of the customer, an action of the operator, or a deadline.
///
/// A cause already contains the values that the ledger determined, such as the charged period or the end of grace.
package enum Cause: Equatable, Sendable {
    // MARK: Purchases

    /// The customer bought a product of the group, and a new period begins now.
    case purchase(SubscriptionPeriod)
    /// The customer bought another plan, which begins now and replaces the current plan.
    case planChange(SubscriptionPeriod, withOffer: Bool)
    /// The customer chose another plan, or another billing plan, for the next renewal.
    case planChoice(product: String, withOffer: Bool)
    /// The customer withdrew a scheduled change and keeps the current plan.
    case choiceWithdrawal
    /// The customer accepted an offer for the next period of the same product.
    case offer
    /// The customer turned auto-renewal off. With `isBound`, the customer still owes months of a commitment: the
    /// subscription continues to the end of the commitment and does not renew after it.
    case autoRenewOff(isBound: Bool)
    case autoRenewOn

    // MARK: Time

    /// The product was not for sale at the instant when production would have charged for the next period in advance.
    case missedCharge
    /// The store charged the customer for the next period.
    case renewal(SubscriptionPeriod)
    /// The period ended, and the store did not attempt to charge for another one.
    case endOfPeriod(ExpirationIntent)
    /// The charge for the next period failed. `graceUntil` is nil if there is no grace period.
    case chargeFailure(graceUntil: Timestamp?, retryUntil: Timestamp)
    /// The period ended, and the subscription has reached the maximum number of renewals in this environment.
    case renewalLimit
    case endOfGrace
    case endOfRetry
    /// A payment succeeded after an earlier attempt had failed, and the store charged for a period.
    case recovery(SubscriptionPeriod)
    /// The store notified the customer of a price increase.
    case priceNotice(needsConsent: Bool)
    case priceConsent

    // MARK: The operator

    /// The latest transaction was refunded.
    case refund(SubscriptionPeriod)
    /// A transaction other than the latest one was refunded. It belongs to a past period, to a replaced period, or to
    /// the current period when the next period is already charged.
    case refundOfEarlier(TransactionID)
    /// The refund of the latest transaction was reversed. If its period has ended, `endedWhy` is the expiration reason.
    case reversal(SubscriptionPeriod, endedWhy: ExpirationReason)
    case reversalOfEarlier(TransactionID)
    /// The developer extended the latest period.
    case renewalExtension(SubscriptionPeriod)
    /// A mass extension failed for this subscription.
    case renewalExtensionFailure
    /// The operator increased the price. The customer is notified at a later date.
    case priceRise
    /// The purchaser turned family sharing on or off.
    case sharing
}

/// The reason why a cause is impossible in a state.
package enum Objection: String, Error, CaseIterable, Sendable {
    /// The customer never subscribed to the group.
    case neverSubscribed
    /// The subscription is active, so a purchase changes its plan instead of starting a new subscription.
    case alreadySubscribed
    /// The subscription expired or was revoked.
    case notSubscribed
    /// The subscription is in grace or billing retry. A purchase can pay for it or replace it; the customer cannot
    /// choose a plan or an offer, and the period cannot be extended.
    case paymentAwaited
    /// Auto-renewal is on during grace, because turning it off ends the grace period.
    case autoRenewIsOn
    /// A commitment has no grace period: after a failed payment it goes directly to billing retry.
    case commitmentHasNoGrace
    /// The subscription is in neither grace nor billing retry.
    case noPaymentAwaited
    /// The deadline does not exist in this state.
    case notDue
    /// The latest transaction is already refunded.
    case alreadyRevoked
    /// The latest transaction is not refunded.
    case notRevoked
}
