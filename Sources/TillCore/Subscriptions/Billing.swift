/// Renewals that cannot be charged: grace, retries, recovery (docs/api/lifecycle.md, Billing).
extension Ledger {
    /// The card was declined at the end of a period.
    mutating func fail(_ subscription: Subscription, by id: AccountID) {
        let isCommitted = subscription.latestTransaction.commitment != nil
        let days = isCommitted ? policy.commitmentRetryDays : policy.retryDays
        let retryUntil = policy.rate.endOfRetry(days: days, from: subscription.renewalDate)
        let graceUntil = isCommitted ? nil : endOfGrace(of: subscription)
        applyDue(.chargeFailure(graceUntil: graceUntil, retryUntil: retryUntil), to: subscription, of: id)
    }

    /// As the app's setting is when the payment fails; later changes of the setting do not matter.
    private func endOfGrace(of subscription: Subscription) -> Timestamp? {
        guard let grace = policy.grace else { return nil }
        let latest = subscription.latestTransaction
        if grace.coverage == .paidToPaidOnly, latest.offer != nil { return nil }
        let period = catalog.products[latest.productID]?.plan?.period ?? Period(1, .month)
        return policy.rate.endOfGrace(days: grace.days, period: period, from: subscription.renewalDate)
    }

    /// Changes the card; an accepted card is charged at once for all awaited payments.
    mutating func useCard(_ card: Card, by id: AccountID) {
        if self[id].card != card {
            self[id].card = card
            touch(id)
            note(.cardChanged(id))
        }
        if card == .accepted { chargeAwaited(by: id) }
    }

    /// Charges an accepted card for all awaited payments.
    mutating func chargeAwaited(by id: AccountID) {
        let waiting = self[id].subscriptions.filter(\.state.awaitsPayment).map(\.originalID)
        for original in waiting.sorted() {
            guard let subscription = self[id].subscription(original) else { continue }
            recover(subscription, by: id)
        }
    }

    /// A payment succeeded: in grace the run of periods continues, later a new one begins now. A product that is not
    /// for sale is not charged, and the subscription keeps waiting.
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
