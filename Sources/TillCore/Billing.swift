/// Renewals that cannot be charged: grace, retries, recovery (docs/api/lifecycle.md, Billing).
extension Ledger {
    /// The card was declined at the end of a period.
    mutating func fail(_ subscription: Subscription, by id: AccountID) {
        let isCommitted = subscription.latestTransaction.commitment != nil
        let end = subscription.renewalDate
        let days = isCommitted ? policy.commitmentRetryDays : policy.retryDays
        let trouble = BillingTrouble(
            graceUntil: isCommitted ? nil : endOfGrace(of: subscription),
            retryUntil: policy.rate.endOfRetry(days: days, from: end)
        )
        change(
            subscription,
            by: id,
            telling: { trouble.graceUntil == nil ? .failedToRenew($0) : .gracePeriodEntered($0) },
            { $0.trouble = trouble }
        )
    }

    /// What the app has opted in to when the error happens; a later choice does not alter it.
    private func endOfGrace(of subscription: Subscription) -> Timestamp? {
        guard let grace = policy.grace else { return nil }
        if grace.coverage == .paidToPaidOnly, subscription.latestTransaction.offer != nil { return nil }
        let period = catalog.products[subscription.latestTransaction.productID]?.plan?.period ?? Period(1, .month)
        return policy.rate.endOfGrace(days: grace.days, period: period, from: subscription.renewalDate)
    }

    mutating func endGrace(of subscription: Subscription, by id: AccountID) {
        change(
            subscription,
            by: id,
            telling: { .gracePeriodExpired($0) },
            { $0.trouble?.isGraceOver = true }
        )
    }

    mutating func endRetry(of subscription: Subscription, by id: AccountID) {
        expire(subscription, by: id, because: .billing)
    }

    /// The card changes; one that is accepted is charged at once for all that waits for it.
    mutating func useCard(_ card: Card, by id: AccountID) {
        guard self[id].card != card else { return }
        self[id].card = card
        touch(id)
        note(.cardChanged(id))
        guard card == .accepted else { return }
        let waiting = self[id].subscriptions.filter { $0.isInTrouble(at: now) }.map(\.originalID)
        for original in waiting.sorted() {
            guard let subscription = self[id].subscription(original) else { continue }
            recover(subscription, by: id)
        }
    }

    /// A payment succeeded: inside grace the run of periods goes on, after it a new one begins now.
    mutating func recover(_ subscription: Subscription, by id: AccountID) {
        guard catalog.products[subscription.nextProductID]?.isForSale == true || subscription.isBound else { return }
        let inGrace = subscription.trouble?.isInGrace(at: now) == true
        renew(
            subscription,
            by: id,
            from: inGrace ? subscription.renewalDate : now.wholeSecond,
            keepingAnchor: inGrace,
            telling: { .recovered($0) }
        )
    }
}

extension Subscription {
    /// Whether a payment is waited for.
    func isInTrouble(at now: Timestamp) -> Bool {
        ownership == .purchased && trouble != nil && ended == nil && latestTransaction.revocation == nil
    }

    /// Whether a commitment binds beyond the running month.
    var isBound: Bool { latestTransaction.commitment?.goesOn == true }
}
