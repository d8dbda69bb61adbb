/// Purchases in a group to which the customer is subscribed now: changes of plan, and offers for the next period.
extension Ledger {
    /// When a change of plan takes effect.
    package enum PlanChangeEffect: Equatable, Sendable {
        case atOnce
        case atNextRenewal
    }

    /// A higher level at once; the same level at once if the periods are as long; everything else at the next renewal.
    package static func effect(of change: SubscriptionPlan, from present: SubscriptionPlan) -> PlanChangeEffect {
        if change.level < present.level { return .atOnce }
        if change.level == present.level, change.period.isAsLong(as: present.period) { return .atOnce }
        return .atNextRenewal
    }

    /// Checks that a purchase changes a subscription that is in force.
    func check(_ original: TransactionID?, _ product: Product, by id: AccountID) throws(Refusal) {
        guard let original else { return }
        guard let held = self[id].subscription(original) else { throw .unknownSubscription(original) }
        guard product.plan?.groupID == held.groupID else {
            throw .otherGroup(product: product.id, group: held.groupID)
        }
        guard held.ownership == .purchased else { throw .familyShared(original) }
        switch held.status(at: now) {
        case .expired: throw .notSubscribed(original, since: held.renewalDate)
        case .revoked: throw .notSubscribed(original, since: held.latestTransaction.revocation?.date ?? now)
        case .active, .billingRetry, .gracePeriod: break
        }
    }

    mutating func change(
        _ held: Subscription,
        to product: Product,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) throws(Refusal) {
        if held.latestTransaction.productID == product.id {
            return try stay(held, on: product, purchase, offers: offers, by: id)
        }
        guard let plan = product.plan, let present = catalog.products[held.latestTransaction.productID]?.plan else {
            throw .unknownProduct(held.latestTransaction.productID)
        }
        switch Ledger.effect(of: plan, from: present) {
        case .atOnce:
            try replace(held, with: product, purchase, offers: offers, by: id)
            purchaseResult = plan.level < present.level ? .upgraded : .crossgraded
        case .atNextRenewal:
            choose(product, for: held, purchase, offers: offers, by: id)
            purchaseResult = plan.level > present.level ? .downgradeScheduled : .crossgradeScheduled
        }
    }

    /// The product is the one that runs: an offer waits for the next period, a change that was chosen is withdrawn,
    /// another way to pay waits for the renewal.
    private mutating func stay(
        _ held: Subscription,
        on product: Product,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) throws(Refusal) {
        if !offers.isEmpty {
            purchaseResult = .offerScheduled
            change(
                held,
                by: id,
                telling: { $0 == held.latestTransaction.id ? .offerRedeemed($0) : nil },
                {
                    if $0.ownership == .purchased { $0.pendingOffers = offers }
                    $0.nextProductID = product.id
                    $0.autoRenews = true
                    $0.offersSetAside = []
                }
            )
        } else if held.nextProductID != product.id {
            purchaseResult = .changeWithdrawn
            change(
                held,
                by: id,
                telling: { .planChangeWithdrawn($0) },
                {
                    $0.nextProductID = product.id
                    $0.pendingOffers = $0.offersSetAside
                    $0.offersSetAside = []
                    $0.autoRenews = true
                    $0.commitmentRenews = true
                }
            )
        } else if let wanted = purchase.billingPlan, let present = held.latestTransaction.billingPlan,
            wanted != held.nextBillingPlan ?? present
        {
            payOtherwise(held, wanted, by: id)
        } else {
            throw .alreadySubscribed(product: product.id, until: held.renewalDate)
        }
    }

    /// The same product, paid another way from the next period, or the next commitment, on.
    private mutating func payOtherwise(_ held: Subscription, _ wanted: BillingPlan.Kind, by id: AccountID) {
        let isBack = wanted == held.latestTransaction.billingPlan
        purchaseResult = isBack ? .changeWithdrawn : .billingPlanScheduled
        let product = held.latestTransaction.productID
        change(
            held,
            by: id,
            telling: { isBack ? .planChangeWithdrawn($0) : .planChangeChosen($0, product: product, withOffer: false) },
            {
                $0.nextBillingPlan = isBack ? nil : wanted
                $0.autoRenews = true
                $0.commitmentRenews = true
            }
        )
    }

    /// The new product begins now; the old row, and one that was charged ahead, are marked as superseded and keep their
    /// dates.
    private mutating func replace(
        _ held: Subscription,
        with product: Product,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) throws(Refusal) {
        var purchase = purchase
        purchase.appAccountToken = purchase.appAccountToken ?? held.appAccountToken
        if let running = held.runningAhead(at: now) { amend(running) { $0.isUpgraded = true } }
        let old = amend(held.latestTransaction) { $0.isUpgraded = true }
        let row = try enterSale(purchase, product, to: id, offer: offers.first, continuing: held)
        var subscription = held
        subscription.latestTransaction = row
        subscription.running = nil
        subscription.autoRenews = true
        subscription.commitmentRenews = true
        subscription.nextProductID = product.id
        subscription.nextBillingPlan = nil
        subscription.pendingOffers = Ledger.remaining(of: offers)
        subscription.offersSetAside = []
        subscription.anchor = anchor(after: row, of: product, under: offers.first?.offer)
        subscription.appAccountToken = row.appAccountToken
        subscription.agreedPrice = catalog.price(product.prices, in: row.storefront)
        subscription.priceIncrease = nil
        subscription.renewals = 0
        subscription.countPayment(of: row)
        self[id].put(subscription)
        note(.upgraded(from: old.id, to: row.id, withOffer: !offers.isEmpty))
        replaceCopies(of: held, by: row, product)
    }

    /// The product waits for the next period. What would have waited for it instead comes back if the choice is
    /// withdrawn.
    private mutating func choose(
        _ product: Product,
        for held: Subscription,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) {
        let withOffer = !offers.isEmpty
        change(
            held,
            by: id,
            telling: {
                .planChangeChosen($0, product: product.id, withOffer: withOffer && $0 == held.latestTransaction.id)
            },
            {
                if $0.nextProductID == $0.latestTransaction.productID { $0.offersSetAside = $0.pendingOffers }
                $0.nextProductID = product.id
                $0.nextBillingPlan = purchase.billingPlan
                $0.pendingOffers = $0.ownership == .purchased ? offers : []
                $0.autoRenews = true
                $0.commitmentRenews = true
            }
        )
    }
}
