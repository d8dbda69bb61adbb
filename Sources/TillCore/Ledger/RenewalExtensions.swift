/// Extensions, which move the end of the current period free of charge (docs/api/extensions.md).
extension Ledger {
    mutating func extend(_ wanted: Extension, by id: AccountID) throws(Refusal) {
        let subscription = try subscription(wanted.subscription, of: id)
        // A repeated request gets the same response as the first.
        if subscription.extensions.contains(where: { $0.request == wanted.request }) { return }
        if let refusal = self[id].refusalToExtend(subscription, at: now, policy: policy) { throw refusal }
        try extend(subscription, by: id, days: wanted.days, request: wanted.request)
    }

    /// Applies a mass extension to one account.
    ///
    /// - Returns: Whether the extension succeeded; nil if it does not apply to this account.
    mutating func extend(_ wanted: MassExtension, by id: AccountID) -> Bool? {
        guard
            let subscription = self[id].subscriptions.first(where: {
                $0.latestTransaction.productID == wanted.productID && $0.status == .active
                    && wanted.storefronts?.contains($0.latestTransaction.storefront.code) != false
            })
        else { return nil }
        do {
            if let refusal = self[id].refusalToExtend(subscription, at: now, policy: policy) { throw refusal }
            try extend(subscription, by: id, days: wanted.days, request: wanted.request)
            return true
        } catch {
            applyDue(.renewalExtensionFailure, to: subscription, of: id)
            return false
        }
    }

    /// Moves the end of the latest period, even if it was charged in advance, because `renewalDate` shows the end of
    /// that period.
    private mutating func extend(
        _ subscription: Subscription,
        by id: AccountID,
        days: Int,
        request: String
    ) throws(Refusal) {
        let anchor = subscription.anchor.resumed(at: subscription.renewalDate)
        let end = policy.rate.adding(days: days, to: subscription.renewalDate, anchorTime: anchor.time)
        let extended = amend(subscription.latestTransaction) { $0.expiresDate = end }
        let given = RenewalExtension(request: request, date: now, lineItem: extended.lineItem, effectiveDate: end)
        try apply(.renewalExtension(SubscriptionPeriod(extended, until: end)), to: subscription.originalID, of: id) {
            $0.anchor = PeriodAnchor(day: Period.anchorDay(of: end), time: anchor.time)
            $0.extensions.append(given)
        }
    }
}

extension Account {
    /// The reason why a subscription of the account cannot be extended; nil if it can.
    func refusalToExtend(_ subscription: Subscription, at now: Timestamp, policy: Policy) -> Refusal? {
        guard subscription.status == .active else {
            return .extensionIneligible(subscription.originalID, because: .notActive)
        }
        if subscription.currentTransaction(at: now).offer?.mode == .freeTrial {
            return .extensionIneligible(subscription.originalID, because: .freeTrial)
        }
        guard subscription.paidService > 0 else {
            return .extensionIneligible(subscription.originalID, because: .neverPaid)
        }
        guard policy.extendsFirstPeriod || subscription.hasPaidPeriodBefore(now) else {
            return .extensionIneligible(subscription.originalID, because: .firstPaidPeriod)
        }
        let yearAgo = Period(-365, .day).end(from: now)
        let recent = subscriptions.flatMap(\.extensions).filter { $0.date > yearAgo }
        return recent.count >= 2 ? .extensionLimit(subscription.originalID) : nil
    }
}
