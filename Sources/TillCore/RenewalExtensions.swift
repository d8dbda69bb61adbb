/// A later end of the running period, free of charge (docs/api/extensions.md).
extension Ledger {
    mutating func extend(_ wanted: Extension, by id: AccountID) throws(Refusal) {
        let subscription = try subscription(wanted.subscription, of: id)
        // The same request again is answered as it was.
        if subscription.extensions.contains(where: { $0.request == wanted.request }) { return }
        if let refusal = refusalToExtend(subscription, held: self[id]) { throw refusal }
        extend(subscription, by: id, days: wanted.days, request: wanted.request)
    }

    /// A mass extension's part in one account.
    ///
    /// - Returns: whether it was given; nil where it did not concern the account.
    mutating func extend(_ wanted: MassExtension, by id: AccountID) -> Bool? {
        guard
            let subscription = self[id].subscriptions.first(where: {
                $0.ownership == .purchased && $0.latestTransaction.productID == wanted.productID
                    && $0.status(at: now) == .active
                    && wanted.storefronts?.contains($0.latestTransaction.storefront.code) != false
            })
        else { return nil }
        guard refusalToExtend(subscription, held: self[id]) == nil else {
            note(.extensionFailed(subscription.latestTransaction.id))
            return false
        }
        extend(subscription, by: id, days: wanted.days, request: wanted.request)
        return true
    }

    private func refusalToExtend(_ subscription: Subscription, held account: Account) -> Refusal? {
        guard subscription.status(at: now) == .active else {
            return .extensionIneligible(subscription.originalID, because: .notActive)
        }
        if (subscription.runningAhead(at: now) ?? subscription.latestTransaction).offer?.mode == .freeTrial {
            return .extensionIneligible(subscription.originalID, because: .freeTrial)
        }
        guard subscription.paidService > 0 else {
            return .extensionIneligible(subscription.originalID, because: .neverPaid)
        }
        guard policy.extendsFirstPeriod || subscription.hasPaidPeriodBefore(now) else {
            return .extensionIneligible(subscription.originalID, because: .firstPaidPeriod)
        }
        let yearAgo = Period(-365, .day).end(from: now)
        let recent = account.subscriptions.flatMap(\.extensions).filter { $0.date > yearAgo }
        return recent.count >= 2 ? .extensionLimit(subscription.originalID) : nil
    }

    private mutating func extend(_ subscription: Subscription, by id: AccountID, days: Int, request: String) {
        let anchor = subscription.anchor.resumed(at: subscription.renewalDate)
        let end = policy.rate.adding(days: days, to: subscription.renewalDate, anchorTime: anchor.time)
        let given = RenewalExtension(
            request: request,
            date: now,
            lineItem: subscription.latestTransaction.lineItem,
            effectiveDate: end
        )
        let holders = [(id, subscription)] + copies(of: subscription, by: id)
        for (holder, held) in holders {
            amend(held.latestTransaction) { $0.expiresDate = end }
            guard var moved = self[holder].subscription(held.originalID) else { continue }
            moved.anchor = PeriodAnchor(day: Period.anchorDay(of: end), time: anchor.time)
            if holder == id { moved.extensions.append(given) }
            self[holder].put(moved)
            note(.extended(held.latestTransaction.id))
        }
    }
}
