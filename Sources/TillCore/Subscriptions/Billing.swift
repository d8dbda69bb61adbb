/// Renewals whose payment fails: grace period, billing retry and recovery (docs/api/lifecycle.md, Billing).
extension Ledger {
    /// Starts the grace period or billing retry after the card was declined at the end of a period.
    mutating func fail(_ subscription: Subscription, by id: AccountID) {
        let isCommitted = subscription.latestTransaction.commitment != nil
        let days = isCommitted ? policy.commitmentRetryDays : policy.retryDays
        let retryUntil = policy.rate.endOfRetry(days: days, from: subscription.renewalDate)
        let graceUntil = isCommitted ? nil : endOfGrace(of: subscription)
        applyDue(.chargeFailure(graceUntil: graceUntil, retryUntil: retryUntil), to: subscription, of: id)
    }

    /// The end of the grace period; nil if the app has none. The app's setting at the failed payment applies; later
    /// changes of the setting do not affect this subscription.
    private func endOfGrace(of subscription: Subscription) -> Timestamp? {
        guard let grace = policy.grace else { return nil }
        let latest = subscription.latestTransaction
        if grace.coverage == .paidToPaidOnly, latest.offer != nil { return nil }
        let period = catalog.products[latest.productID]?.plan?.period ?? Period(1, .month)
        return policy.rate.endOfGrace(days: grace.days, period: period, from: subscription.renewalDate)
    }

    /// Changes the card. If the new card is accepted, the store charges it at once for every subscription in billing
    /// retry or grace.
    mutating func useCard(_ card: Card, by id: AccountID) {
        if self[id].card != card {
            self[id].card = card
            touch(id)
            note(.cardChanged(id))
        }
        if card == .accepted { chargeAwaited(by: id) }
    }

    /// Charges the accepted card for every subscription in billing retry or grace.
    mutating func chargeAwaited(by id: AccountID) {
        let waiting = self[id].subscriptions.filter(\.state.awaitsPayment).map(\.originalID)
        for original in waiting.sorted() {
            guard let subscription = self[id].subscription(original) else { continue }
            recover(subscription, by: id)
        }
    }

    /// Renews a subscription after a successful payment. During grace, the next period begins at the end of the last
    /// one; during billing retry, it begins now. If the product is not for sale, the store charges nothing and billing
    /// retry continues.
    mutating func recover(_ subscription: Subscription, by id: AccountID) {
        let isForSale = catalog.products[subscription.preference.productID]?.isForSale == true
        guard isForSale || subscription.isBound else { return }
        if case .gracePeriod = subscription.state {
            charge(subscription, by: id, from: subscription.renewalDate, anchored: true) { .recovery($0) }
        } else {
            charge(subscription, by: id, from: now.wholeSecond, anchored: false) { .recovery($0) }
        }
    }
}
