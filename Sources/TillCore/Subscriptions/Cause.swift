/// Everything that can happen to a subscription: through the customer, the operator or the passing of time.
///
/// A cause contains what was decided already, such as the charged period or the dates of a grace period.
package enum Cause: Equatable, Sendable {
    // MARK: Purchases

    /// The customer bought a product of the group, and a period begins now.
    case purchase(SubscriptionPeriod)
    /// The customer bought another plan, which begins at once and replaces the current one.
    case planChange(SubscriptionPeriod, withOffer: Bool)
    /// The customer chose another plan, or another billing plan, for the next renewal.
    case planChoice(product: String, withOffer: Bool)
    /// The customer chose the current plan again.
    case choiceWithdrawal
    /// The customer accepted an offer for the next period of the same product.
    case offer
    /// The customer turned auto-renewal off. `isBound`: more months of a commitment are owed, so it continues to its
    /// end and does not renew.
    case autoRenewOff(isBound: Bool)
    case autoRenewOn

    // MARK: Time

    /// The product was not for sale when the next period should have been charged ahead.
    case missedCharge
    /// The store charged for the next period.
    case renewal(SubscriptionPeriod)
    /// The period ended, and no charge was attempted.
    case endOfPeriod(ExpirationIntent)
    /// The charge for the next period failed. `graceUntil` is nil without a grace period.
    case chargeFailure(graceUntil: Timestamp?, retryUntil: Timestamp)
    /// The period ended after the last renewal that the environment allows.
    case renewalLimit
    case endOfGrace
    case endOfRetry
    /// A payment succeeded after the charge had failed, and a period was charged.
    case recovery(SubscriptionPeriod)
    /// The customer was notified of a higher price.
    case priceNotice(needsConsent: Bool)
    case priceConsent

    // MARK: The operator

    /// The latest transaction was refunded.
    case refund(SubscriptionPeriod)
    /// Another transaction was refunded: of a past period, of a replaced one, or of the current period while the next
    /// one has been charged.
    case refundOfEarlier(TransactionID)
    /// The refund of the latest transaction was reversed. `endedWhy` applies if its period has ended meanwhile.
    case reversal(SubscriptionPeriod, endedWhy: ExpirationReason)
    case reversalOfEarlier(TransactionID)
    /// The end of the latest period was moved.
    case renewalExtension(SubscriptionPeriod)
    /// A mass extension failed.
    case renewalExtensionFailure
    /// The operator raised the price. The customer is notified later.
    case priceRise
    /// The purchaser turned family sharing on or off.
    case sharing
}

/// Why a cause is impossible in a state.
package enum Objection: String, Error, CaseIterable, Sendable {
    /// There was never a subscription to the group.
    case neverSubscribed
    /// The subscription is active: a purchase changes its plan instead of starting another.
    case alreadySubscribed
    /// The subscription expired or was revoked.
    case notSubscribed
    /// A payment is awaited: a purchase pays for it or starts anew; nothing else can be chosen or extended.
    case paymentAwaited
    /// Auto-renewal is on, because turning it off would have ended the grace period.
    case autoRenewIsOn
    /// Failed payments of a commitment are retried without a grace period.
    case commitmentHasNoGrace
    /// No payment is awaited.
    case noPaymentAwaited
    /// The state has no such deadline.
    case notDue
    /// The latest transaction is already refunded.
    case alreadyRevoked
    /// The latest transaction is not refunded.
    case notRevoked
}
