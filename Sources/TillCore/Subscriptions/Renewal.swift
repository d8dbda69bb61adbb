/// The renewal or expiration at the end of a period (docs/api/lifecycle.md, Renewal).
extension Ledger {
    /// The reason why a subscription will not renew. If several reasons apply, the first in this order counts.
    enum ReasonNotToRenew: Equatable {
        case autoRenewOff
        case productUnavailable
        case consentMissing
        case renewalCap
        case cardDeclined
    }

    func reasonNotToRenew(to subscription: Subscription, held account: Account) -> ReasonNotToRenew? {
        if !subscription.isBound {
            guard subscription.preference.autoRenews else { return .autoRenewOff }
            guard catalog.products[subscription.preference.productID]?.isForSale == true else {
                return .productUnavailable
            }
            if isConsentMissing(subscription) { return .consentMissing }
            if let cap = policy.renewalCap, subscription.renewals >= cap { return .renewalCap }
        }
        guard let terms = subscription.terms(in: catalog, from: subscription.renewalDate) else {
            return .productUnavailable
        }
        return account.card != .accepted && terms.price.milliunits > 0 ? .cardDeclined : nil
    }

    private func isConsentMissing(_ subscription: Subscription) -> Bool {
        guard let increase = subscription.expectedPriceIncrease, increase.needsConsent, increase.stage == .pending
        else { return false }
        return increase.counts(from: subscription.renewalDate)
    }

    /// Charges the next period, on the terms that `reasonNotToRenew` or `recover` returned.
    ///
    /// - Parameters:
    ///   - start: The beginning of the period: the end of the last period, or now if there was a gap in service.
    ///   - anchored: Whether the period continues the current run of periods. Otherwise a new run begins at `start`.
    ///   - cause: The cause that is applied to the subscription.
    mutating func charge(
        _ subscription: Subscription,
        by id: AccountID,
        from start: Timestamp,
        anchored: Bool,
        as cause: (SubscriptionPeriod) -> Cause
    ) {
        guard let terms = subscription.terms(in: catalog, from: start) else { return }
        let anchor = anchored ? subscription.anchor.resumed(at: start) : PeriodAnchor(of: start)
        let end = policy.end(of: terms.period, from: start, anchor: anchor)
        var transaction = renewalRow(of: subscription.latestTransaction, by: id, from: start)
        transaction.productID = terms.product.id
        transaction.order = identifiers.order(of: id)
        transaction.price = terms.price
        transaction.offer = terms.offer.map { AppliedOffer($0.offer) }
        transaction.appAccountToken = subscription.appAccountToken
        transaction.billingPlan = terms.billingPlan
        transaction.commitment = terms.commitment.map { commitment($0, of: terms.product, from: start, anchor: anchor) }
        let period = enter(transaction, until: end)
        var charged = subscription
        if isLongGap(from: subscription.renewalDate, to: max(start, now)) { charged.recentStart = start }
        charged.anchor = anchor.following(terms.period, until: end)
        charged.take(terms, period.transaction)
        applyDue(cause(period), to: subscription, of: id) { [charged] in $0 = charged }
    }

    /// Whether a gap in service is so long that the next period starts a new run of periods.
    func isLongGap(from end: Timestamp, to start: Timestamp) -> Bool {
        start.milliseconds - end.milliseconds > policy.maxGap
    }

    /// A transaction for the next period. It copies values such as the storefront from the last transaction.
    mutating func renewalRow(of last: Transaction, by id: AccountID, from start: Timestamp) -> Transaction {
        var transaction = last
        transaction.id = identifiers.transaction(
            of: id,
            environment: self[id].environment,
            storefront: transaction.storefront
        )
        transaction.lineItem = identifiers.lineItem(
            of: id,
            environment: self[id].environment,
            storefront: transaction.storefront
        )
        transaction.order = nil
        transaction.purchaseDate = start
        transaction.reason = .renewal
        transaction.isUpgraded = false
        transaction.revocation = nil
        transaction.refundNumber = nil
        transaction.isFinished = false
        transaction.offer = nil
        transaction.commitment = nil
        transaction.foreign = nil
        return transaction
    }

    /// The next month of the same commitment, with its end moved by any gap in service, or the first month of a new
    /// one.
    private func commitment(
        _ month: (period: Int, price: Money),
        of product: Product,
        from start: Timestamp,
        anchor: PeriodAnchor
    ) -> Commitment {
        let total = product.plan?.period.months ?? 12
        let whole = policy.end(of: Period(total - month.period + 1, .month), from: start, anchor: anchor)
        return Commitment(period: month.period, periods: total, expiresDate: whole, price: month.price)
    }
}

extension Subscription {
    /// Updates the subscription with the terms of the period that was charged.
    fileprivate mutating func take(_ terms: RenewalTerms, _ transaction: Transaction) {
        if terms.raisesPrice || terms.product.id != latestTransaction.productID { priceIncrease = nil }
        renewals += 1
        agreedPrice = terms.fullPrice
        suspendedOffers = []
        if terms.offer != nil { takePendingOffer() }
        countPayment(of: transaction)
        settle(transaction.commitment)
    }

    /// Removes one period from the first pending offer, because the charged period used it.
    private mutating func takePendingOffer() {
        guard !pendingOffers.isEmpty else { return }
        let taken = pendingOffers.removeFirst()
        if let rest = taken.afterOnePeriod { pendingOffers.insert(rest, at: 0) }
    }

    /// Turns auto-renewal off in the last month of a commitment that does not renew.
    private mutating func settle(_ commitment: Commitment?) {
        guard let commitment else { return }
        if commitment.period == 1 { preference.billingPlan = nil }
        if !commitment.goesOn, !preference.commitmentRenews { preference.autoRenews = false }
    }
}
