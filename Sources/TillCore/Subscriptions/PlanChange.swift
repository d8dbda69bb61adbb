/// Purchases by customers who are already subscribed to the group: changes of plan, and offers for the next period.
extension Ledger {
    /// The instant when a change of plan takes effect.
    package enum PlanChangeEffect: Equatable, Sendable {
        case atOnce
        case atNextRenewal
    }

    /// A plan of a higher level begins at once. A plan of the same level begins at once if its period has the same
    /// length. Every other plan begins at the next renewal.
    package static func effect(of change: SubscriptionPlan, from present: SubscriptionPlan) -> PlanChangeEffect {
        if change.level < present.level { return .atOnce }
        if change.level == present.level, change.period.isAsLong(as: present.period) { return .atOnce }
        return .atNextRenewal
    }

    /// Checks that the purchase names an active subscription of this customer in the product's group.
    func check(_ original: TransactionID?, _ product: Product, by id: AccountID) throws(Refusal) {
        guard let original else { return }
        let held = try subscription(original, of: id)
        guard product.plan?.groupID == held.groupID else {
            throw .otherGroup(product: product.id, group: held.groupID)
        }
        switch held.state {
        case .expired: throw .notSubscribed(original, since: held.renewalDate)
        case .revoked: throw .notSubscribed(original, since: held.latestTransaction.revocation?.date ?? now)
        case .active, .billingRetry, .gracePeriod: break
        }
    }

    /// Processes a purchase by a customer whose subscription is active.
    mutating func change(
        _ held: Subscription,
        to product: Product,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) throws(Refusal) {
        let present = held.latestTransaction.productID
        if present == product.id { return try stay(held, purchase, offers: offers, by: id) }
        guard let plan = product.plan, let presentPlan = catalog.products[present]?.plan else {
            throw .unknownProduct(present)
        }
        switch Ledger.effect(of: plan, from: presentPlan) {
        case .atOnce:
            try replace(held, with: product, purchase, offers: offers, by: id)
            purchaseResult = plan.level < presentPlan.level ? .upgraded : .crossgraded
        case .atNextRenewal:
            try choose(product, for: held, purchase, offers: offers, by: id)
            purchaseResult = plan.level > presentPlan.level ? .downgradeScheduled : .crossgradeScheduled
        }
    }

    /// Processes a purchase of the current product. An offer applies from the next period, another billing plan applies
    /// from the next renewal, and a scheduled change of plan is withdrawn.
    private mutating func stay(
        _ held: Subscription,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) throws(Refusal) {
        let (original, product) = (held.originalID, held.latestTransaction.productID)
        if !offers.isEmpty {
            purchaseResult = .offerScheduled
            try apply(.offer, to: original, of: id) {
                $0.pendingOffers = offers
                $0.suspendedOffers = []
                $0.preference.productID = product
                $0.preference.autoRenews = true
            }
        } else if held.preference.productID != product {
            purchaseResult = .changeWithdrawn
            try apply(.choiceWithdrawal, to: original, of: id) { $0.withdrawChoice() }
        } else if let wanted = purchase.billingPlan, let present = held.latestTransaction.billingPlan,
            wanted != held.preference.billingPlan ?? present
        {
            try payOtherwise(held, wanted, by: id)
        } else {
            throw .alreadySubscribed(product: product, until: held.renewalDate)
        }
    }

    /// Schedules another billing plan for the same product, from the next period or commitment.
    private mutating func payOtherwise(
        _ held: Subscription,
        _ wanted: BillingPlanType,
        by id: AccountID
    ) throws(Refusal) {
        let isBack = wanted == held.latestTransaction.billingPlan
        purchaseResult = isBack ? .changeWithdrawn : .billingPlanScheduled
        let product = held.latestTransaction.productID
        try apply(
            isBack ? .choiceWithdrawal : .planChoice(product: product, withOffer: false),
            to: held.originalID,
            of: id
        ) {
            $0.preference.billingPlan = isBack ? nil : wanted
            $0.preference.autoRenews = true
            $0.preference.commitmentRenews = true
        }
    }

    /// Starts the new product now. It replaces the periods that have not ended.
    private mutating func replace(
        _ held: Subscription,
        with product: Product,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) throws(Refusal) {
        var purchase = purchase
        purchase.appAccountToken = purchase.appAccountToken ?? held.appAccountToken
        let replaced = supersede(held)
        let period = try enterPeriod(purchase, product, to: id, offer: offers.first, continuing: held)
        let transaction = period.transaction
        let anchor = anchor(after: period, of: product, under: offers.first?.offer)
        let price = catalog.price(product.prices, in: transaction.storefront)
        try apply(.planChange(period, withOffer: !offers.isEmpty), to: held.originalID, of: id) {
            $0.preference = RenewalPreference(productID: product.id)
            $0.pendingOffers = Ledger.remaining(of: offers)
            $0.suspendedOffers = []
            $0.anchor = anchor
            $0.appAccountToken = transaction.appAccountToken
            $0.agreedPrice = price
            $0.priceIncrease = nil
            $0.renewals = 0
            $0.replacedRefunds = replaced
            $0.countPayment(of: transaction)
        }
    }

    /// Marks the periods that have not ended as replaced by a purchase. Their dates do not change.
    ///
    /// - Returns: The refunded transactions among the replaced ones. They are marked as replaced when their refund is
    ///   reversed.
    mutating func supersede(_ subscription: Subscription) -> [TransactionID] {
        var refunds = subscription.replacedRefunds
        for period in subscription.state.periods where period.end > now {
            if period.isRevoked {
                refunds.append(period.id)
            } else {
                amend(period.transaction) { $0.isUpgraded = true }
            }
        }
        return Array(refunds.suffix(Ledger.maxReplacedRefunds))
    }

    private static let maxReplacedRefunds = 64

    /// Schedules the product for the next period. If the customer withdraws the choice, the offers that it displaced
    /// apply again.
    private mutating func choose(
        _ product: Product,
        for held: Subscription,
        _ purchase: Purchase,
        offers: [PendingOffer],
        by id: AccountID
    ) throws(Refusal) {
        let cause = Cause.planChoice(product: product.id, withOffer: !offers.isEmpty)
        try apply(cause, to: held.originalID, of: id) {
            if $0.preference.productID == $0.latestTransaction.productID { $0.suspendedOffers = $0.pendingOffers }
            $0.preference.productID = product.id
            $0.preference.billingPlan = purchase.billingPlan
            $0.preference.autoRenews = true
            $0.preference.commitmentRenews = true
            $0.pendingOffers = offers
        }
    }
}

extension Subscription {
    /// Keeps the current product. The offers that the scheduled change had displaced apply again.
    mutating func withdrawChoice() {
        preference.productID = latestTransaction.productID
        preference.autoRenews = true
        preference.commitmentRenews = true
        pendingOffers = suspendedOffers
        suspendedOffers = []
    }
}
