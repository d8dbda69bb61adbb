/// The terms of the next period of a subscription.
struct RenewalTerms {
    let product: Product
    let period: Period
    /// The price that will be charged, with the offer.
    let price: Money
    /// The customer's price of a full period from then on.
    let fullPrice: Money
    let offer: PendingOffer?
    /// Whether a higher price applies from this period.
    let raisesPrice: Bool
    /// Nil where the product has only one billing plan.
    let billingPlan: BillingPlan.Kind?
    /// The month that begins, for a plan with monthly billing, without its end.
    let commitment: (period: Int, price: Money)?
}

extension Subscription {
    /// The terms of a period that begins at an instant; nil when the catalog no longer has its product.
    func terms(in catalog: Catalog, from start: Timestamp) -> RenewalTerms? {
        // A transaction is a large value: copy it only once.
        let latest = latestTransaction
        let isBound = latest.isBound
        let productID = isBound ? latest.productID : preference.productID
        guard let product = catalog.products[productID], let plan = product.plan else { return nil }
        let billingPlan = isBound ? BillingPlan.Kind.monthly : preference.chosenPlan(of: plan, after: latest)
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

    /// The price the customer agreed to, or the catalog's if it is lower; a higher one only after a notice.
    private func fullPrice(
        of product: Product,
        after latest: Transaction,
        in catalog: Catalog,
        from start: Timestamp
    ) -> (price: Money, raises: Bool) {
        let listed = catalog.price(product.prices, in: latest.storefront, agreed: agreedPrice?.currency)
        guard product.id == latest.productID, let agreedPrice, agreedPrice.currency == listed.currency else {
            return (listed, false)
        }
        if let priceIncrease, priceIncrease.counts(from: start) { return (priceIncrease.price, true) }
        return (agreedPrice.milliunits < listed.milliunits ? agreedPrice : listed, false)
    }
}

extension PriceIncrease {
    /// Whether a period that begins at an instant has the new price, if the customer agrees.
    func counts(from start: Timestamp) -> Bool {
        guard let effectiveFrom, stage != .scheduled else { return false }
        return start >= effectiveFrom
    }
}

extension SubscriptionPlan {
    /// The plan with monthly billing, if the product has an enabled one.
    package var monthly: BillingPlan? { billingPlans.first { $0.kind == .monthly && $0.isEnabled } }

    /// The first period of an offer: the offer's own when it is free or paid up front, else the product's.
    func firstPeriod(under offer: Offer?) -> Period {
        guard let offer, offer.mode != .payAsYouGo, let whole = offer.wholePeriod else { return period }
        return whole
    }
}
