/// Price increases for subscribers: notice, consent, renewal (docs/api/lifecycle.md, Prices).
extension Ledger {
    /// A job's part: raises the price for the account's subscriptions to a product.
    ///
    /// - Returns: whether any was affected.
    mutating func raise(_ raise: PriceRaise, by id: AccountID) -> Bool {
        var concerned = false
        for subscription in self[id].subscriptions
        where subscription.latestTransaction.productID == raise.productID
            && subscription.state.isOpen
            && subscription.latestTransaction.commitment == nil
            // A price the customer was notified of takes precedence.
            && (subscription.priceIncrease?.stage ?? .scheduled) == .scheduled
        {
            let storefront = subscription.latestTransaction.storefront
            let price = catalog.price(raise.prices, in: storefront, agreed: subscription.agreedPrice?.currency)
            let present = subscription.agreedPrice ?? price
            guard price.currency == present.currency, price.milliunits > present.milliunits else { continue }
            concerned = true
            let increase = PriceIncrease(
                price: price,
                needsConsent: needsConsent(raise, subscription, from: present, to: price),
                scheduledAt: now
            )
            applyDue(.priceRise, to: subscription, of: id) { $0.priceIncrease = increase }
        }
        return concerned
    }

    /// More than half and more than five dollars a period (fifty a year), or the second within a year, or required by
    /// law.
    private func needsConsent(
        _ raise: PriceRaise,
        _ subscription: Subscription,
        from present: Money,
        to price: Money
    ) -> Bool {
        switch raise.consent {
        case .required: return true
        case .notNeeded: return false
        case .automatic: break
        }
        if policy.storefrontsAskingConsent.contains(subscription.latestTransaction.storefront.code) { return true }
        if let last = subscription.lastPriceIncrease, now < Period(1, .year).end(from: last) { return true }
        let product = catalog.products[raise.productID]
        let isAnnual = product?.plan?.period.months == 12
        let difference = price.milliunits - present.milliunits
        guard difference > present.milliunits / 2 else { return false }
        // The local equivalent of the dollar limit: the local price relative to the dollar price.
        let limit: Int64 = isAnnual ? 50_000 : 5_000
        let dollars = raise.prices.byStorefront[Storefront.unitedStates.code] ?? raise.prices.standard
        guard price.currency != "USD" else { return difference > limit }
        guard dollars.currency == "USD", dollars.milliunits > 0 else { return true }
        return Double(difference) > Double(limit) * Double(price.milliunits) / Double(dollars.milliunits)
    }

    /// When the customer is notified: a fixed number of days before the first renewal at the new price. If the next
    /// renewal is too close, it is the one after. A weekly price that needs no consent is announced at once and applies
    /// from the first renewal at least twenty-seven days later, the fourth. A customer who chose another plan will not
    /// pay the price and is not notified.
    func instantOfPriceNotice(to subscription: Subscription, held account: Account) -> Timestamp? {
        guard
            let increase = subscription.expectedPriceIncrease, increase.stage == .scheduled,
            subscription.preference.autoRenews,
            let period = catalog.products[subscription.latestTransaction.productID]?.plan?.period
        else { return nil }
        let isWeekly = period.months == nil
        if isWeekly, !increase.needsConsent { return increase.scheduledAt }
        let days = increase.needsConsent ? (isWeekly ? 7 : period.months == 1 ? 27 : 60) : 27
        let notice = policy.rate.adding(days: -days, to: subscription.renewalDate)
        return notice >= increase.scheduledAt && !hasPassed(notice, subscription, account) ? notice : nil
    }

    /// Whether a later event kept the notice from being sent in time: auto-renewal was off, a refund, grace. A notice
    /// that falls before the period is sent when the period begins. Events of one instant are dated some milliseconds
    /// apart, so an event within a second is not later.
    private func hasPassed(_ notice: Timestamp, _ subscription: Subscription, _ account: Account) -> Bool {
        max(notice, subscription.state.latest.start).advanced(milliseconds: 1_000) < account.lastEvent
    }

    mutating func announcePrice(to subscription: Subscription, by id: AccountID) {
        guard var increase = subscription.priceIncrease else { return }
        let isWeekly = catalog.products[subscription.latestTransaction.productID]?.plan?.period.months == nil
        increase.stage = increase.needsConsent ? .pending : .accepted
        increase.effectiveFrom =
            isWeekly && !increase.needsConsent
            ? policy.rate.adding(days: 27, to: now) : subscription.renewalDate
        applyDue(.priceNotice(needsConsent: increase.needsConsent), to: subscription, of: id) { [increase, now] in
            $0.priceIncrease = increase
            $0.lastPriceIncrease = now
        }
    }

    mutating func acceptPriceIncrease(_ original: TransactionID, by id: AccountID) throws(Refusal) {
        _ = try subscriptionAskedForConsent(original, of: id)
        try apply(.priceConsent, to: original, of: id) { $0.priceIncrease?.stage = .accepted }
    }

    /// The customer declines a higher price. This turns auto-renewal off, and the subscription ends as one that the
    /// customer cancelled (docs/api/lifecycle.md, Prices).
    mutating func declinePriceIncrease(_ original: TransactionID, by id: AccountID) throws(Refusal) {
        _ = try subscriptionAskedForConsent(original, of: id)
        try turnAutoRenewOff(original, by: id)
    }

    /// A subscription with a price increase that needs the customer's answer; not for a customer who chose another
    /// plan.
    private func subscriptionAskedForConsent(_ original: TransactionID, of id: AccountID) throws(Refusal)
        -> Subscription
    {
        let subscription = try subscription(original, of: id)
        guard case .active = subscription.state, subscription.expectedPriceIncrease?.stage == .pending else {
            throw .noPriceIncrease(original)
        }
        return subscription
    }
}
