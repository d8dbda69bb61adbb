/// What happens at the end of a period (docs/api/lifecycle.md, Renewal).
extension Ledger {
    /// Why a subscription will not go on by itself, in the order in which the causes count.
    enum Obstacle: Equatable {
        case autoRenewOff
        case productUnavailable
        case consentMissing
        case renewalCap
        case cardDeclined
    }

    func obstacle(to subscription: Subscription, held account: Account) -> Obstacle? {
        if subscription.latestTransaction.commitment?.goesOn != true {
            guard subscription.autoRenews else { return .autoRenewOff }
            guard catalog.products[subscription.nextProductID]?.isForSale == true else { return .productUnavailable }
            if isConsentMissing(subscription) { return .consentMissing }
            if let cap = policy.renewalCap, subscription.renewals >= cap { return .renewalCap }
        }
        guard let terms = subscription.terms(in: catalog, from: subscription.renewalDate) else {
            return .productUnavailable
        }
        return account.card != .accepted && terms.price.milliunits > 0 ? .cardDeclined : nil
    }

    private func isConsentMissing(_ subscription: Subscription) -> Bool {
        guard
            let increase = subscription.priceIncrease, increase.needsConsent, increase.stage == .pending,
            subscription.nextProductID == subscription.latestTransaction.productID
        else { return false }
        return increase.counts(from: subscription.renewalDate)
    }

    /// The end of a period that nothing paid on: the first cause counts.
    mutating func endPeriod(of subscription: Subscription, by id: AccountID) {
        switch obstacle(to: subscription, held: self[id]) {
        case .autoRenewOff: expire(subscription, by: id, because: .customer)
        case .productUnavailable: expire(subscription, by: id, because: .productUnavailable)
        case .consentMissing: expire(subscription, by: id, because: .priceIncrease)
        case .renewalCap:
            let off = disableAutoRenew(subscription, by: id)
            expire(off, by: id, because: .customer)
        case .cardDeclined: fail(subscription, by: id)
        case nil: renew(subscription, by: id, from: subscription.renewalDate, keepingAnchor: true)
        }
    }

    /// Access ends, and with it the family's.
    mutating func expire(_ subscription: Subscription, by id: AccountID, because intent: ExpirationIntent) {
        let wasInGrace = subscription.trouble?.isInGrace(at: now) == true
        change(
            subscription,
            by: id,
            telling: { .expired($0, intent) },
            {
                $0.ended = intent
                $0.autoRenews = false
                guard intent == .customer else { return }
                $0.wasLeftInGrace = wasInGrace
                $0.trouble = nil
            }
        )
    }

    /// Charges for the next period.
    ///
    /// - Parameters:
    ///   - start: when the period begins: the end of the last one, or now after a gap.
    ///   - keepingAnchor: whether the run of periods goes on; otherwise it begins anew at `start`.
    ///   - event: what is told of it.
    mutating func renew(
        _ subscription: Subscription,
        by id: AccountID,
        from start: Timestamp,
        keepingAnchor: Bool,
        telling event: (TransactionID) -> Event = { .renewed($0) }
    ) {
        guard let terms = subscription.terms(in: catalog, from: start) else {
            return expire(subscription, by: id, because: .productUnavailable)
        }
        let anchor = keepingAnchor ? subscription.anchor.resumed(at: start) : PeriodAnchor(of: start)
        let end = policy.end(of: terms.period, from: start, anchor: anchor)
        var row = renewalRow(of: subscription, by: id, from: start, to: end)
        row.productID = terms.product.id
        row.order = identifiers.order(of: id)
        row.price = terms.price
        row.offer = terms.offer.map { AppliedOffer($0.offer) }
        row.appAccountToken = subscription.appAccountToken
        row.billingPlan = terms.billingPlan
        row.commitment = terms.commitment.map { month in
            commitment(month, of: subscription, product: terms.product, from: start, anchor: anchor)
        }
        let entered = enter(row)
        var renewed = advance(subscription, to: entered, from: start, anchor: anchor)
        renewed.anchor = anchor.following(terms.period, until: end)
        renewed.agreedPrice = terms.fullPrice
        if terms.raisesPrice || terms.product.id != subscription.latestTransaction.productID {
            renewed.priceIncrease = nil
        }
        if terms.offer != nil { renewed.takePendingOffer() }
        renewed.countPayment(of: entered)
        renewed.settleCommitment()
        self[id].put(renewed)
        note(event(entered.id))
        renewCopies(of: subscription, by: renewed, telling: event)
    }

    /// The subscription with its next row; whatever stood in the way is over.
    func advance(
        _ subscription: Subscription,
        to row: Transaction,
        from start: Timestamp,
        anchor: PeriodAnchor
    ) -> Subscription {
        var advanced = subscription
        advanced.running = now < start ? subscription.latestTransaction : nil
        advanced.latestTransaction = row
        advanced.anchor = anchor
        advanced.renewals += 1
        advanced.trouble = nil
        advanced.ended = nil
        advanced.wasLeftInGrace = false
        advanced.offersSetAside = []
        let gap = max(start, now).milliseconds - subscription.renewalDate.milliseconds
        if gap > policy.longestGap { advanced.recentStart = start }
        return advanced
    }

    /// A row for the next period with what it has from the last one.
    mutating func renewalRow(of subscription: Subscription, by id: AccountID, from start: Timestamp, to end: Timestamp)
        -> Transaction
    {
        var row = subscription.latestTransaction
        row.id = identifiers.transaction(of: id, realm: self[id].realm, storefront: row.storefront)
        row.lineItem = identifiers.lineItem(of: id, realm: self[id].realm, storefront: row.storefront)
        row.order = nil
        row.purchaseDate = start
        row.expiresDate = end
        row.reason = .renewal
        row.isUpgraded = false
        row.revocation = nil
        row.refundNumber = nil
        row.isFinished = false
        row.offer = nil
        row.commitment = nil
        return row
    }

    /// The month of a commitment that begins: the next of the same year, later by any gap; or the first of another.
    private func commitment(
        _ month: (period: Int, price: Money),
        of subscription: Subscription,
        product: Product,
        from start: Timestamp,
        anchor: PeriodAnchor
    ) -> Commitment {
        let total = product.plan?.period.months ?? 12
        let whole = policy.end(of: Period(total - month.period + 1, .month), from: start, anchor: anchor)
        return Commitment(period: month.period, periods: total, expiresDate: whole, price: month.price)
    }

    // MARK: The subscription and the family's copies of it

    /// Changes a subscription and each copy that the family has of it, and tells of all of them.
    mutating func change(
        _ subscription: Subscription,
        by id: AccountID,
        telling event: (TransactionID) -> Event?,
        _ change: (inout Subscription) -> Void
    ) {
        var own = subscription
        change(&own)
        self[id].put(own)
        if let event = event(own.latestTransaction.id) { note(event) }
        for (member, copy) in copies(of: own, by: id) {
            var copy = copy
            change(&copy)
            self[member].put(copy)
            if let event = event(copy.latestTransaction.id) { note(event) }
        }
    }
}

extension Subscription {
    /// A period has carried the first of the offers.
    mutating func takePendingOffer() {
        guard !pendingOffers.isEmpty else { return }
        let taken = pendingOffers.removeFirst()
        if let rest = taken.afterOnePeriod { pendingOffers.insert(rest, at: 0) }
    }

    /// In the last month of a commitment that nobody continues, auto-renewal is off.
    mutating func settleCommitment() {
        guard let commitment = latestTransaction.commitment else { return }
        if commitment.period == 1 { nextBillingPlan = nil }
        if !commitment.goesOn, !commitmentRenews { autoRenews = false }
    }
}
