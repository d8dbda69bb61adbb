/// The terms of the next period of a subscription.
struct RenewalTerms {
    let product: Product
    let period: Period
    /// The price that the customer will be charged, after the offer is applied.
    let price: Money
    /// The customer's price of a full period without an offer, from this period on.
    let fullPrice: Money
    let offer: PendingOffer?
    /// Whether a price increase takes effect with this period.
    let raisesPrice: Bool
    /// Nil if the product has only one billing plan.
    let billingPlan: BillingPlanType?
    /// The month that begins, for a commitment with monthly billing. Its end date is not known yet.
    let commitment: (period: Int, price: Money)?
}

extension Subscription {
    /// The terms of a period that begins at `start`; nil if the product is no longer in the catalog.
    func terms(in catalog: Catalog, from start: Timestamp) -> RenewalTerms? {
        // A transaction is a large value, so it is copied only once.
        let latest = latestTransaction
        let isBound = latest.isBound
        let productID = isBound ? latest.productID : preference.productID
        guard let product = catalog.products[productID], let plan = product.plan else { return nil }
        let billingPlan = isBound ? BillingPlanType.monthly : preference.chosenPlan(of: plan, after: latest)
        let storefront = latest.storefront
        if billingPlan == .monthly, let monthly = plan.monthly {
            let listed = catalog.price(monthly.prices, in: storefront, agreed: agreedPrice?.currency)
            let price = isBound ? (latest.price ?? listed) : listed
            let whole = isBound ? latest.commitment?.price : nil
            return RenewalTerms(
                product: product,
                period: Period(1, .month),
                price: price,
                fullPrice: price,
                offer: nil,
                raisesPrice: false,
                billingPlan: .monthly,
                commitment: (
                    period: isBound ? (latest.commitment?.period ?? 0) + 1 : 1,
                    price: whole
                        ?? catalog.commitmentPrice(of: plan, in: storefront, agreed: agreedPrice?.currency)
                )
            )
        }
        let (full, raises) = fullPrice(of: product, after: latest, in: catalog, from: start)
        let offer = pendingOffers.first
        return RenewalTerms(
            product: product,
            period: plan.firstPeriod(under: offer?.offer),
            price: offer.map { catalog.price(of: $0.offer, in: storefront, insteadOf: full) } ?? full,
            fullPrice: full,
            offer: offer,
            raisesPrice: raises,
            billingPlan: plan.monthly == nil ? nil : .billedUpfront,
            commitment: nil
        )
    }

    /// The price that the customer agreed to, or the catalog's price if that is lower. A higher price applies only
    /// after the customer was notified.
    private func fullPrice(
        of product: Product,
        after latest: Transaction,
        in catalog: Catalog,
        from start: Timestamp
    ) -> (price: Money, raises: Bool) {
        let listed = catalog.price(product.prices, in: latest.storefront, agreed: agreedPrice?.currency)
        // During a commitment, the agreed price is that of a month.
        guard product.id == latest.productID, latest.commitment == nil, let agreedPrice,
            agreedPrice.currency == listed.currency
        else { return (listed, false) }
        if let priceIncrease, priceIncrease.counts(from: start) { return (priceIncrease.price, true) }
        return (agreedPrice.milliunits < listed.milliunits ? agreedPrice : listed, false)
    }
}

extension PriceIncrease {
    /// Whether the new price applies to a period that begins at `start`, if the customer agrees.
    func counts(from start: Timestamp) -> Bool {
        guard let effectiveFrom, stage != .scheduled else { return false }
        return start >= effectiveFrom
    }
}

extension SubscriptionPlan {
    /// The billing plan with monthly billing, if the product has one and it is enabled.
    package var monthly: BillingPlan? { billingPlans.first { $0.kind == .monthly && $0.isEnabled } }

    /// The first period of a purchase with an offer. A free or pay-up-front offer has its own length; otherwise it is
    /// the product's period.
    func firstPeriod(under offer: Offer?) -> Period {
        guard let offer, offer.mode != .payAsYouGo, let whole = offer.wholePeriod else { return period }
        return whole
    }
}
