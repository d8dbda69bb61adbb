/// Price increases for existing subscribers: notification, consent and renewal (docs/api/lifecycle.md, Prices).
extension Ledger {
    /// Applies the price increase of a job to the account's subscriptions to the product.
    ///
    /// - Returns: Whether the increase affects any subscription of the account.
    mutating func raise(_ raise: PriceRaise, by id: AccountID) -> Bool {
        var concerned = false
        for subscription in self[id].subscriptions
        where subscription.latestTransaction.productID == raise.productID
            && subscription.state.isOpen
            && subscription.latestTransaction.commitment == nil
            // If the customer was already notified of another price, that price has precedence.
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

    /// Whether the customer must agree to the new price. Consent is needed if the law of the storefront requires it,
    /// and for the second increase within a year. It is also needed for an increase of more than 50 % that is more than
    /// 5 US dollars a period, or more than 50 US dollars for a period of one year.
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
        // Converts the dollar limit to the local currency, with the ratio of the local price to the dollar price.
        let limit: Int64 = isAnnual ? 50_000 : 5_000
        let dollars = raise.prices.byStorefront[Storefront.unitedStates.code] ?? raise.prices.standard
        guard price.currency != "USD" else { return difference > limit }
        guard dollars.currency == "USD", dollars.milliunits > 0 else { return true }
        return Double(difference) > Double(limit) * Double(price.milliunits) / Double(dollars.milliunits)
    }

    /// The instant when the customer is notified: a fixed number of days before the first renewal at the new price. If
    /// the next renewal is too soon for this, the renewal after it is the first one at the new price.
    ///
    /// A weekly subscriber whose consent is not needed is notified at once. The new price applies from the first
    /// renewal that is at least 27 days after the notice. This is the fourth renewal if the next renewal is at least
    /// six days away, and otherwise the fifth. A customer who chose another plan is not notified, because this price
    /// will never apply.
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

    /// Whether a later event prevented the notification at its instant: a refund, a grace period, or auto-renewal that
    /// was off. A notification that is due before the period begins is sent when the period begins.
    ///
    /// Events of the same instant have dates that differ by some milliseconds. An event within one second therefore
    /// does not count as later.
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

    /// Declines a price increase for the customer. This turns auto-renewal off, and the subscription later expires with
    /// the reason "cancelled by the customer" (docs/api/lifecycle.md, Prices).
    mutating func declinePriceIncrease(_ original: TransactionID, by id: AccountID) throws(Refusal) {
        _ = try subscriptionAskedForConsent(original, of: id)
        try turnAutoRenewOff(original, by: id)
    }

    /// The subscription, if its price increase needs the customer's answer.
    private func subscriptionAskedForConsent(_ original: TransactionID, of id: AccountID) throws(Refusal)
        -> Subscription
    {
        let subscription = try subscription(original, of: id)
        guard subscription.isAskedForConsent else { throw .noPriceIncrease(original) }
        return subscription
    }
}

extension Subscription {
    /// Whether a price increase needs the customer's answer. A customer who chose another plan is not asked.
    var isAskedForConsent: Bool { status == .active && expectedPriceIncrease?.stage == .pending }
}
