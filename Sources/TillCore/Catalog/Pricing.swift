/// The price for each storefront (docs/api/payloads.md, Prices and storefronts).
extension Catalog {
    /// The storefront whose currency the standard prices use.
    package var storefront: Storefront { Storefront(code: settings.storefront) ?? .unitedStates }

    /// Whether the catalog has a price for a storefront. The standard price counts as the price of the catalog's
    /// storefront.
    package func hasPrice(_ list: PriceList, in storefront: Storefront) -> Bool {
        list.byStorefront[storefront.code] != nil || storefront == self.storefront
    }

    /// The price in a storefront. If the catalog has none, the number of the standard price applies in the storefront's
    /// currency.
    ///
    /// - Parameter agreed: The currency that a subscriber agreed to pay in; nil for a new sale. Version 0.1.0 used the
    ///   standard price in every storefront, and the subscriptions from that version keep the standard currency.
    package func price(_ list: PriceList, in storefront: Storefront, agreed: String? = nil) -> Money {
        let currency = agreed == list.standard.currency ? list.standard.currency : storefront.currency
        return price(list, in: storefront, elsewhereIn: currency)
    }

    /// The price of one payment of an offer; zero for a free offer.
    ///
    /// - Parameter full: The price without the offer. It determines the currency if the offer has no price.
    package func price(of offer: Offer, in storefront: Storefront, insteadOf full: Money) -> Money {
        guard let list = offer.prices else { return Money(milliunits: 0, currency: full.currency) }
        return price(list, in: storefront, elsewhereIn: full.currency)
    }

    /// The total price of a commitment: the price in the catalog, or the sum of the payments.
    func commitmentPrice(of plan: SubscriptionPlan, in storefront: Storefront, agreed: String? = nil) -> Money {
        guard let monthly = plan.monthly else { return Money(milliunits: 0, currency: storefront.currency) }
        if let whole = monthly.commitmentPrices { return price(whole, in: storefront, agreed: agreed) }
        let payment = price(monthly.prices, in: storefront, agreed: agreed)
        return payment.times(plan.period.months ?? 12) ?? payment
    }

    private func price(_ list: PriceList, in storefront: Storefront, elsewhereIn currency: String) -> Money {
        if let own = list.byStorefront[storefront.code] { return own }
        if storefront == self.storefront { return list.standard }
        return Money(milliunits: list.standard.milliunits, currency: currency)
    }
}

extension Ledger {
    /// Refuses a sale without a price in the catalog, if the environment requires a price.
    ///
    /// - Parameter offers: The offers of the purchase, which also need prices.
    func checkPrices(
        of purchase: Purchase,
        _ product: Product,
        _ offers: [Offer],
        by id: AccountID
    ) throws(Refusal) {
        guard policy.missingPrice == .refuse, purchase.price == nil else { return }
        let storefront = purchase.storefront ?? self[id].storefront
        func check(_ list: PriceList?, _ offer: Offer? = nil) throws(Refusal) {
            guard let list, !catalog.hasPrice(list, in: storefront) else { return }
            throw .noPrice(product: product.id, offer: offer?.id ?? offer?.kind.words, storefront: storefront.code)
        }
        let monthly = purchase.billingPlan == .monthly ? product.plan?.monthly : nil
        try check(monthly?.prices ?? product.prices)
        try check(monthly?.commitmentPrices)
        for offer in offers { try check(offer.prices, offer) }
    }
}
