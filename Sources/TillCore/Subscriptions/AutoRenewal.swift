/// Turns auto-renewal on and off for the customer (docs/api/lifecycle.md, Customer changes).
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

    /// Turns auto-renewal off and drops a scheduled change of plan or offer. A commitment continues to its end, even
    /// while the store retries a payment. A subscription without a commitment expires at once if it is in grace or
    /// billing retry.
    mutating func disableAutoRenew(_ subscription: Subscription, by id: AccountID) throws(Refusal) {
        let cause = Cause.autoRenewOff(isBound: subscription.isBound)
        try apply(cause, to: subscription.originalID, of: id) { $0.dropRenewal() }
    }
}

extension Subscription {
    /// Removes the scheduled product, billing plan and offers, because no period follows the current one.
    mutating func dropRenewal() {
        let productID = latestTransaction.productID
        if !isBound { preference.autoRenews = false }
        preference.commitmentRenews = false
        if preference.productID != productID { pendingOffers = suspendedOffers }
        preference.productID = productID
        preference.billingPlan = nil
        suspendedOffers = []
        pendingOffers.removeAll { !$0.hasBegun }
    }
}
