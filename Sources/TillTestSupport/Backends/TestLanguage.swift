import TillCore

/// The language of the tests: what customers, the developer and the operator do, in the same words on every backend.
package protocol TestLanguage {
    /// Where it happens.
    var backend: any Backend { get }
    /// The instant that a date such as `2026-01-31` means.
    func instant(_ date: String) -> Timestamp
}

extension TestLanguage {
    // MARK: Buying

    /// Creates a customer. The other operations create their customers in the United States.
    package func open(_ customer: String, in storefront: String) async throws {
        guard let place = Storefront(code: storefront) else { throw NothingFound("no storefront \(storefront)") }
        try await backend.open(customer, storefront: place)
    }

    /// Buys a product; returns nil when the purchase is held.
    @discardableResult
    package func buy(
        _ product: String,
        by customer: String,
        quantity: Int = 1,
        offer: OfferChoice = .automatic,
        monthly: Bool = false,
        isInterrupted: Bool = false,
        at price: PriceOverride? = nil,
        in storefront: Storefront? = nil,
        token: String? = nil
    ) async throws -> Transaction? {
        let purchase = Purchase(
            productID: product,
            quantity: quantity,
            storefront: storefront,
            price: price,
            appAccountToken: token,
            offer: offer,
            billingPlan: monthly ? .monthly : nil,
            isInterrupted: isInterrupted
        )
        return try await backend.perform(.purchase(purchase), by: customer)
    }

    /// For the shop a change of plan is a purchase of another product of the group.
    package func changePlan(of customer: String, to product: String, offer: OfferChoice = .automatic) async throws {
        try await buy(product, by: customer, offer: offer)
    }

    /// Whether a parent must approve the customer's purchases.
    package func setAskToBuy(_ asks: Bool, for customer: String) async throws {
        try await backend.perform(.setAskToBuy(asks), by: customer)
    }

    /// Approves a held purchase.
    package func approvePurchase(of customer: String, _ number: Int64 = 1) async throws {
        try await backend.perform(.decideHeldPurchase(number: number, approved: true), by: customer)
    }

    /// Declines a held purchase.
    package func declinePurchase(of customer: String, _ number: Int64 = 1) async throws {
        try await backend.perform(.decideHeldPurchase(number: number, approved: false), by: customer)
    }

    // MARK: Renewal

    /// Turns off the renewal of the customer's subscription.
    package func cancelRenewal(of customer: String) async throws {
        try await backend.perform(.turnAutoRenewOff(try await subscription(of: customer)), by: customer)
    }

    /// Turns the renewal on again.
    package func resumeRenewal(of customer: String) async throws {
        try await backend.perform(.turnAutoRenewOn(try await subscription(of: customer)), by: customer)
    }

    /// Renewals are declined; if `withPurchases` is set, purchases too.
    package func declineCard(of customer: String, withPurchases: Bool = false) async throws {
        try await backend.perform(.useCard(withPurchases ? .declined : .declinedForRenewals), by: customer)
    }

    /// The customer's payment method is valid.
    package func acceptCard(of customer: String) async throws {
        try await backend.perform(.useCard(.accepted), by: customer)
    }

    /// Extends the renewal date of the customer's subscription.
    package func extendRenewal(of customer: String, days: Int, request: String) async throws {
        let original = try await subscription(of: customer)
        let wanted = Extension(subscription: original, days: days, reasonCode: 3, request: request)
        try await backend.perform(.extend(wanted), by: customer)
    }

    /// Extends the renewal date of every subscriber of a product.
    package func extendAllRenewals(of product: String, days: Int, request: String) async throws {
        let wanted = MassExtension(productID: product, days: days, reasonCode: 3, request: request)
        try await backend.perform(Job.Work.extend(wanted))
    }

    // MARK: Prices and the catalog

    /// The catalog's price changes for new customers, and for subscribers unless their price is preserved.
    package func raisePrice(
        of product: String,
        to milliunits: Int64,
        consent: PriceRaise.Consent = .automatic,
        preserving: Bool = false
    ) async throws {
        try await backend.change(product) { $0.prices = .usd(milliunits) }
        guard !preserving else { return }
        let raise = PriceRaise(productID: product, prices: .usd(milliunits), consent: consent)
        try await backend.perform(Job.Work.raisePrice(raise))
    }

    /// The catalog's price changes, and so does that of subscribers.
    package func lowerPrice(of product: String, to milliunits: Int64) async throws {
        try await backend.change(product) { $0.prices = .usd(milliunits) }
    }

    /// The customer agrees to a higher price.
    package func acceptPriceIncrease(of customer: String) async throws {
        try await backend.perform(.acceptPriceIncrease(try await subscription(of: customer)), by: customer)
    }

    /// Takes a product off sale.
    package func removeFromSale(_ product: String) async throws {
        try await backend.change(product) { $0.isForSale = false }
    }

    /// Sells a product again.
    package func putOnSale(_ product: String) async throws {
        try await backend.change(product) { $0.isForSale = true }
    }
}
