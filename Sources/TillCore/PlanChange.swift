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

    mutating func change(
        _ held: Subscription,
        to product: Product,
        _ purchase: Purchase,
        offer: PendingOffer?,
        by id: AccountID
    ) throws(Refusal) {
        if held.current.productID == product.id {
            return try stay(held, on: product, offer: offer, by: id)
        }
        guard let plan = product.plan, let present = catalog.products[held.current.productID]?.plan else {
            throw .unknownProduct(held.current.productID)
        }
        switch Ledger.effect(of: plan, from: present) {
        case .atOnce: try replace(held, with: product, purchase, offer: offer, by: id)
        case .atNextRenewal: choose(product, for: held, offer: offer, by: id)
        }
    }

    /// The product is the one that runs: an offer waits for the next period, a change that was chosen is withdrawn.
    private mutating func stay(
        _ held: Subscription,
        on product: Product,
        offer: PendingOffer?,
        by id: AccountID
    ) throws(Refusal) {
        var subscription = held
        if let offer {
            subscription.pendingOffer = offer
            subscription.nextProductID = product.id
            subscription.autoRenews = true
            self[id].put(subscription)
            note(.offerRedeemed(held.current.id))
        } else if held.nextProductID != product.id {
            subscription.nextProductID = product.id
            subscription.pendingOffer = nil
            subscription.autoRenews = true
            self[id].put(subscription)
            note(.planChangeWithdrawn(held.current.id))
        } else {
            throw .alreadySubscribed(product: product.id, until: held.renewalDate)
        }
    }

    /// The new product begins now; the old row is marked as superseded and keeps its dates.
    private mutating func replace(
        _ held: Subscription,
        with product: Product,
        _ purchase: Purchase,
        offer: PendingOffer?,
        by id: AccountID
    ) throws(Refusal) {
        var purchase = purchase
        purchase.appAccountToken = purchase.appAccountToken ?? held.appAccountToken
        let old = amend(held.current) { $0.isUpgraded = true }
        let row = try sell(purchase, product, to: id, offer: offer, continuing: held)
        var subscription = held
        subscription.current = row
        subscription.autoRenews = true
        subscription.nextProductID = product.id
        subscription.pendingOffer = offer?.afterFirstPeriod
        subscription.anchorDay = Period.anchorDay(of: row.purchaseDate)
        subscription.appAccountToken = row.appAccountToken
        subscription.paidService += paidMilliseconds(row)
        self[id].put(subscription)
        note(.upgraded(from: old.id, to: row.id))
        if product.isFamilyShareable {
            shareWithFamily(row, product)
        } else {
            endSharing(of: old, reason: .other)
        }
    }

    private mutating func choose(_ product: Product, for held: Subscription, offer: PendingOffer?, by id: AccountID) {
        var subscription = held
        subscription.nextProductID = product.id
        subscription.pendingOffer = offer
        subscription.autoRenews = true
        self[id].put(subscription)
        note(.planChangeChosen(held.current.id, product: product.id))
    }
}
