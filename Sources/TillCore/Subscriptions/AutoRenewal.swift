/// The customer turns auto-renewal off and on (docs/api/lifecycle.md, Customer changes).
extension Ledger {
    mutating func turnAutoRenewOff(_ original: TransactionID, by id: AccountID) throws(Refusal) {
        let subscription = try subscription(original, of: id)
        if subscription.state.isOpen, !subscription.willRenew { throw .autoRenewIsOff(original) }
        try disableAutoRenew(subscription, by: id)
    }

    mutating func turnAutoRenewOn(_ original: TransactionID, by id: AccountID) throws(Refusal) {
        let subscription = try subscription(original, of: id)
        if subscription.state.isOpen, subscription.willRenew { throw .autoRenewIsOn(original) }
        try apply(.autoRenewOn, to: original, of: id) {
            $0.preference.autoRenews = true
            $0.preference.commitmentRenews = true
        }
    }

    /// Turns auto-renewal off. A change of plan and an offer that have not begun are dropped; a commitment continues to
    /// its end, also while a payment is retried. Any other customer whose payment is awaited gives it up: the
    /// subscription expires at once.
    mutating func disableAutoRenew(_ subscription: Subscription, by id: AccountID) throws(Refusal) {
        let cause = Cause.autoRenewOff(isBound: subscription.isBound)
        try apply(cause, to: subscription.originalID, of: id) { $0.dropRenewal() }
    }
}

extension Subscription {
    /// What is left of the customer's choices once auto-renewal is off.
    mutating func dropRenewal() {
        let productID = latestTransaction.productID
        if !isBound { preference.autoRenews = false }
        preference.commitmentRenews = false
        if preference.productID != productID { pendingOffers = offersSetAside }
        preference.productID = productID
        preference.billingPlan = nil
        offersSetAside = []
        pendingOffers.removeAll { !$0.hasBegun }
    }
}
