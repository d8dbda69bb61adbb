/// A subscription whose state is derived from a status answer and the transactions of the history.
struct ImportedSubscription {
    /// The customer's own subscription; nil for a family member's copy.
    private(set) var bought: Subscription?
    /// A family member's copy, whose purchaser is on another server; nil for the customer's own subscription.
    private(set) var copy: SharedSubscription?
    /// What no answer says, and what Till assumed: clauses without a full stop.
    private(set) var assumptions: [String] = []
    /// Whether the store retries a payment.
    private(set) var awaitsPayment = false

    private let source: SourceSubscription
    private let latest: Transaction
    /// The transactions of the subscription, oldest first.
    private let rows: [Transaction]
    private let catalog: Catalog
    private let policy: Policy
    private let instant: Timestamp

    /// - Parameters:
    ///   - rows: the transactions of the subscription, oldest first.
    ///   - latest: the transaction that the status answer has.
    ///   - instant: the time of the answer.
    /// - Throws: `DamagedSubscription` if the answers contradict each other.
    init(
        _ source: SourceSubscription,
        _ rows: [Transaction],
        _ latest: Transaction,
        _ catalog: Catalog,
        _ policy: Policy,
        at instant: Timestamp
    ) throws(DamagedSubscription) {
        self.source = source
        self.rows = rows
        self.latest = latest
        self.catalog = catalog
        self.policy = policy
        self.instant = instant
        guard latest.groupID == source.groupID else {
            throw DamagedSubscription("has a latest transaction of group \(latest.groupID ?? "none")")
        }
        try checkDates()
        let state = try state()
        let first = rows.first { $0.isOriginal } ?? latest
        let recent = source.renewal.recentStart
        if recent == nil { assumptions.append("recentSubscriptionStartDate is absent; its first transaction counts") }
        if latest.ownership == .familyShared {
            copy = SharedSubscription(
                groupID: source.groupID,
                originalID: latest.originalID,
                originalPurchaseDate: first.originalPurchaseDate,
                source: .external,
                state: state,
                preference: preference,
                recentStart: recent ?? first.purchaseDate
            )
            return
        }
        var bought = Subscription(
            groupID: source.groupID,
            originalID: latest.originalID,
            originalPurchaseDate: first.originalPurchaseDate,
            state: state,
            preference: preference,
            recentStart: recent ?? first.purchaseDate,
            anchor: PeriodAnchor(of: latest.purchaseDate)
        )
        bought.appAccountToken = source.renewal.appAccountToken
        bought.agreedPrice = agreedPrice
        bought.replacedRefunds = replacedRefunds
        replay(into: &bought)
        takeOffer(into: &bought)
        takePriceIncrease(into: &bought)
        self.bought = bought
    }

    // MARK: The state

    /// Refuses an active subscription whose period ended long ago: Till would charge again for what may be paid.
    private func checkDates() throws(DamagedSubscription) {
        guard let end = latest.expiresDate else { return }
        let length = end.milliseconds - latest.purchaseDate.milliseconds
        let isOver = instant.milliseconds - end.milliseconds > min(length, 86_400_000)
        guard source.status != .active || !isOver else {
            throw DamagedSubscription("has status 1, and its expiresDate is long before the time of the answers")
        }
    }

    private mutating func state() throws(DamagedSubscription) -> SubscriptionState {
        let period = try SubscriptionPeriod(latest)
        let isRevoked = source.status == .revoked
        guard period.isRevoked == isRevoked else {
            throw DamagedSubscription(
                "has status \(source.status.rawValue), and its latest transaction "
                    + (isRevoked ? "has no revocationDate" : "was revoked")
            )
        }
        let resumes = try resumableState(after: period)
        return SubscriptionState(period, previous: try previous(of: period), resuming: resumes)
    }

    /// The state without regard to a revocation.
    private mutating func resumableState(after period: SubscriptionPeriod) throws(DamagedSubscription) -> ResumableState
    {
        switch source.status {
        case .active: return .period
        case .revoked: return stateBeforeRefund(of: period)
        case .gracePeriod:
            guard let until = source.renewal.graceUntil else {
                throw DamagedSubscription("is in its grace period, and gracePeriodExpiresDate is absent")
            }
            awaitsPayment = true
            return .gracePeriod(until: until, retryUntil: endOfRetry(of: period))
        case .billingRetry:
            awaitsPayment = true
            return .billingRetry(until: endOfRetry(of: period), graceEnded: source.renewal.graceUntil)
        case .expired:
            guard let intent = source.renewal.expirationIntent else {
                assumptions.append("it expired, and expirationIntent is absent; it counts as other")
                return .expired(.other, at: min(period.end, instant))
            }
            let reason = ExpirationReason(intent, graceEnded: source.renewal.graceUntil)
            let end = intent == .billing ? endOfRetry(of: period) : period.end
            return .expired(reason, at: min(end, instant))
        }
    }

    /// The state that a reversed refund restores. A period that had not ended at the refund was active.
    private mutating func stateBeforeRefund(of period: SubscriptionPeriod) -> ResumableState {
        guard let date = latest.revocation?.date, date >= period.end else { return .period }
        // An expiration turns auto-renew off, and only a subscription that did not expire still has it on.
        guard source.renewal.autoRenews else {
            assumptions.append("it expired before its refund, because the customer turned auto-renew off")
            return .expired(.customer(leftInGrace: false), at: period.end)
        }
        assumptions.append("a payment was retried when it was refunded, without a grace period")
        return .billingRetry(until: endOfRetry(of: period), graceEnded: nil)
    }

    /// The last attempt to charge, by the settings of the environment. If it were past, the store would have given up
    /// already, so it counts as imminent.
    private mutating func endOfRetry(of period: SubscriptionPeriod) -> Timestamp {
        let days = latest.commitment == nil ? policy.retryDays : policy.commitmentRetryDays
        let end = policy.rate.endOfRetry(days: days, from: period.end)
        assumptions.append("the last attempt to charge is at \(end.milliseconds), by the settings of the environment")
        return awaitsPayment ? max(end, instant.advanced(milliseconds: 1)) : end
    }

    /// The period before the latest, if the latest was charged in advance and has not begun.
    private func previous(of period: SubscriptionPeriod) throws(DamagedSubscription) -> SubscriptionPeriod? {
        guard period.start > instant, source.status == .active || source.status == .revoked else { return nil }
        let before = rows.last { $0.id < latest.id && $0.expiresDate == period.start }
        guard let before else { return nil }
        return try SubscriptionPeriod(before)
    }

    private var preference: RenewalPreference {
        let renewal = source.renewal
        guard latest.commitment != nil, let next = renewal.commitment else {
            var preference = RenewalPreference(productID: renewal.autoRenewProductID, autoRenews: renewal.autoRenews)
            preference.billingPlan = chosenPlan(renewal.billingPlan)
            preference.commitmentRenews = source.renewal.autoRenews
            return preference
        }
        var preference = RenewalPreference(productID: next.productID, autoRenews: renewal.autoRenews)
        preference.billingPlan = chosenPlan(next.billingPlan)
        preference.commitmentRenews = next.autoRenews
        return preference
    }

    /// The billing plan of the next period; nil to keep the current plan.
    private func chosenPlan(_ plan: BillingPlanType?) -> BillingPlanType? {
        let stays = source.renewal.commitment?.productID ?? source.renewal.autoRenewProductID == latest.productID
        return stays && plan == latest.billingPlan ? nil : stays || plan == .monthly ? plan : nil
    }

    // MARK: The run of periods

    /// Follows the transactions from the first to the latest: the anchor, the paid service and the renewals.
    private func replay(into subscription: inout Subscription) {
        var end: Timestamp?
        var isRun = false
        for row in rows where row.id <= latest.id {
            guard let expires = row.expiresDate else { continue }
            let period = self.period(of: row)
            if row.reason == .purchase { subscription.renewals = 0 } else { subscription.renewals += 1 }
            isRun = isRun && row.reason == .renewal && end == row.purchaseDate
            let anchor =
                isRun ? subscription.anchor.resumed(at: row.purchaseDate) : PeriodAnchor(of: row.purchaseDate)
            let expected = policy.end(of: period, from: row.purchaseDate, anchor: anchor)
            var paid = row
            if expires > expected {
                // The developer extended the period, which moves the day of the month.
                paid.expiresDate = expected
                let time = anchor.resumed(at: expected).time
                subscription.anchor = PeriodAnchor(day: Period.anchorDay(of: expires), time: time)
            } else {
                subscription.anchor =
                    row.reason == .purchase && row.commitment != nil ? anchor : anchor.following(period, until: expires)
            }
            subscription.countPayment(of: paid)
            end = expires
            isRun = true
        }
    }

    private func period(of row: Transaction) -> Period {
        if row.commitment != nil { return Period(1, .month) }
        if let offer = row.offer, offer.mode != .payAsYouGo, let whole = offer.wholePeriod { return whole }
        return catalog.products[row.productID]?.plan?.period ?? Period(1, .month)
    }

    /// The refunded transactions during whose periods the customer bought again. A purchase marks all other periods
    /// that it replaces as upgraded.
    private var replacedRefunds: [TransactionID] {
        var replaced: [TransactionID] = []
        // From the last to the first, so that each transaction is compared only with the earliest later purchase.
        var earliest: Timestamp?
        for row in rows.reversed() {
            if row.revocation != nil, !row.isUpgraded, let end = row.expiresDate, let earliest, earliest < end {
                replaced.append(row.id)
            }
            if row.reason == .purchase { earliest = min(earliest ?? row.purchaseDate, row.purchaseDate) }
        }
        return replaced.reversed()
    }

    // MARK: Prices and offers

    /// The price of the latest transaction of the latest product without an offer; nil if every transaction had one.
    private var lastFullPrice: Money? {
        rows.last {
            $0.productID == latest.productID && $0.offer == nil && $0.price != nil
                && ($0.commitment == nil) == (latest.commitment == nil)
        }?.price
    }

    /// The price that the customer agreed to.
    private var agreedPrice: Money? {
        let renewal = source.renewal
        if latest.isBound { return latest.price }
        let shows = renewal.autoRenewProductID == latest.productID && renewal.offer == nil && renewal.autoRenews
        if shows, renewal.priceIncreaseStatus == nil, renewal.billingPlan == latest.billingPlan,
            let price = renewal.renewalPrice
        {
            // A lower price in the catalog applies to the next renewal, but the customer agreed to the price before.
            guard price == listedPrice, let last = lastFullPrice, last.currency == price.currency else { return price }
            return last.milliunits > price.milliunits ? last : price
        }
        return lastFullPrice ?? listedPrice
    }

    private var listedPrice: Money? {
        guard let product = catalog.products[latest.productID] else { return nil }
        let monthly = latest.commitment == nil ? nil : product.plan?.monthly?.prices
        return catalog.price(monthly ?? product.prices, in: latest.storefront)
    }

    private mutating func takeOffer(into subscription: inout Subscription) {
        guard let next = source.renewal.offer else { return }
        let product = catalog.products[source.renewal.autoRenewProductID]
        let listed = product?.offers.first {
            $0.kind == next.kind && $0.mode == next.mode && (next.kind == .introductory || $0.id == next.id)
        }
        var offer = listed ?? made(next, product)
        offer.id = next.id
        if listed == nil { assumptions.append("the catalog lacks the offer of the next period, which is made from it") }
        guard offer.mode == .payAsYouGo else {
            subscription.pendingOffers = [PendingOffer(offer)]
            return
        }
        let used = rows.reversed().prefix { $0.offer?.kind == next.kind && $0.offer?.id == next.id }.count
        let remaining = max(1, offer.periodCount - used)
        assumptions.append("\(remaining) more periods have the offer of the next period")
        subscription.pendingOffers = [PendingOffer(offer: offer, remainingPeriods: remaining)]
    }

    /// An offer that the catalog lacks.
    private func made(_ next: AppliedOffer, _ product: Product?) -> Offer {
        let period = product?.plan?.period ?? next.wholePeriod
        let price = source.renewal.renewalPrice
        let isPaid = (price?.milliunits ?? 0) > 0
        return Offer(
            kind: next.kind,
            id: next.id,
            mode: next.mode,
            period: next.mode == .payAsYouGo ? period : next.wholePeriod,
            periodCount: next.mode == .payAsYouGo
                ? max(1, (next.wholePeriod?.months ?? 1) / max(1, period?.months ?? 1)) : 1,
            prices: isPaid ? price.map { PriceList(standard: $0) } : nil
        )
    }

    private mutating func takePriceIncrease(into subscription: inout Subscription) {
        let renewal = source.renewal
        guard let status = renewal.priceIncreaseStatus, let end = latest.expiresDate else { return }
        let shown = renewal.offer == nil ? renewal.renewalPrice : nil
        guard var price = shown ?? listedPrice else { return }
        assumptions.append("the old price and the dates of the price increase are not known")
        var effectiveFrom = end
        // A weekly subscriber is notified some renewals before the new price.
        if status == 1, let old = shown, old == lastFullPrice, let listed = listedPrice,
            listed.currency == old.currency, listed.milliunits > old.milliunits
        {
            price = listed
            effectiveFrom = end.advanced(milliseconds: 1)
        }
        var increase = PriceIncrease(price: price, needsConsent: status == 0, scheduledAt: instant)
        increase.stage = status == 0 ? .pending : .accepted
        increase.effectiveFrom = effectiveFrom
        subscription.priceIncrease = increase
        subscription.lastPriceIncrease = min(instant, end)
    }
}
