/// What can happen to a subscription: everything that a customer, the operator or the passing of time does to one.
///
/// Whoever makes a cause has decided what it needs: the period that was charged, or the dates of a grace period.
package enum Cause: Equatable, Sendable {
    // MARK: Purchases

    /// The customer bought a product of the group, and a period begins now.
    case purchase(SubscriptionPeriod)
    /// The customer bought another plan that begins at once and replaces the present one.
    case planChange(SubscriptionPeriod, withOffer: Bool)
    /// The customer chose another plan, or another way to pay, for the next renewal.
    case planChoice(product: String, withOffer: Bool)
    /// The customer chose the present plan again.
    case choiceWithdrawal
    /// The customer accepted an offer for the next period of the same product.
    case offer
    /// The customer turned auto-renewal off. `isBound` says that more months of a commitment are owed: it continues to
    /// its end and does not begin again.
    case autoRenewOff(isBound: Bool)
    case autoRenewOn

    // MARK: Time

    /// The next period would have been charged ahead, and the product was not for sale.
    case missedCharge
    /// The store charged for the next period.
    case renewal(SubscriptionPeriod)
    /// The period ended, and no charge was tried.
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
    /// Another transaction was refunded: of a past period, of one that was replaced, or of the period that still runs
    /// while the next one has been charged.
    case refundOfEarlier(TransactionID)
    /// The refund of the latest transaction was reversed. `endedWhy` counts where its period has ended meanwhile.
    case reversal(SubscriptionPeriod, endedWhy: ExpirationReason)
    case reversalOfEarlier(TransactionID)
    /// The end of the latest period was moved.
    case renewalExtension(SubscriptionPeriod)
    /// A mass extension could not be given.
    case renewalExtensionFailure
    /// The operator raised the price. The customer is notified later.
    case priceRise
    /// The purchaser turned family sharing on or off.
    case sharing
}

/// Why something cannot happen to a subscription in its state.
package enum Objection: String, Error, CaseIterable, Sendable {
    /// There is no subscription to the group.
    case neverSubscribed
    /// The subscription is active: a purchase changes its plan instead of beginning another.
    case alreadySubscribed
    /// The subscription expired or was revoked.
    case notSubscribed
    /// A payment is awaited: a purchase pays for it or begins anew, and nothing else can be chosen or extended.
    case paymentAwaited
    /// Auto-renewal is on: turning it off would have ended the grace period.
    case autoRenewIsOn
    /// A payment of a commitment that fails is retried without a grace period.
    case commitmentHasNoGrace
    /// No payment is awaited.
    case noPaymentAwaited
    /// No such deadline exists in the state.
    case notDue
    /// The latest transaction is refunded already.
    case alreadyRevoked
    /// The latest transaction is not refunded.
    case notRevoked
}
