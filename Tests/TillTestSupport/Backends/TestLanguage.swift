import TillCore

/// The operations of customers, the developer and the operator, under the same names on every backend.
package protocol TestLanguage {
    /// The backend on which the operations run.
    var backend: any Backend { get }
    /// The instant that a date such as `2026-01-31` means.
    func instant(_ date: String) -> Timestamp
}

extension TestLanguage {
    // MARK: Buying

    /// Creates a customer in a storefront. Every other operation creates its customer in the United States if
    /// necessary.
    package func open(_ customer: String, in storefront: String) async throws {
        guard let place = Storefront(code: storefront) else { throw NothingFound("no storefront \(storefront)") }
        try await backend.open(customer, storefront: place)
    }

    /// Buys a product; returns nil when the purchase is held for Ask to Buy.
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

    /// Changes the customer's plan. A plan change is a purchase of another product of the same subscription group.
    package func changePlan(of customer: String, to product: String, offer: OfferChoice = .automatic) async throws {
        try await buy(product, by: customer, offer: offer)
    }

    /// Turns Ask to Buy on or off for the customer. While it is on, a parent must approve each purchase.
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

    /// Turns off auto-renew for the customer's subscription.
    package func cancelRenewal(of customer: String) async throws {
        try await backend.perform(.turnAutoRenewOff(try await subscription(of: customer)), by: customer)
    }

    /// Turns auto-renew on again.
    package func resumeRenewal(of customer: String) async throws {
        try await backend.perform(.turnAutoRenewOn(try await subscription(of: customer)), by: customer)
    }

    /// Makes the customer's payment method decline renewals; if `withPurchases` is set, also purchases.
    package func declineCard(of customer: String, withPurchases: Bool = false) async throws {
        try await backend.perform(.useCard(withPurchases ? .declined : .declinedForRenewals), by: customer)
    }

    /// Makes the customer's payment method valid.
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

    /// Raises the catalog price for new customers. Subscribers are affected too, unless their price is preserved.
    package func raisePrice(
        of product: String,
        to milliunits: Int64,
        consent: PriceConsent = .automatic,
        preserving: Bool = false
    ) async throws {
        try await backend.change(product) { $0.prices = .usd(milliunits) }
        guard !preserving else { return }
        let raise = PriceRaise(productID: product, prices: .usd(milliunits), consent: consent)
        try await backend.perform(Job.Work.raisePrice(raise))
    }

    /// Lowers the catalog price for new customers and for subscribers.
    package func lowerPrice(of product: String, to milliunits: Int64) async throws {
        try await backend.change(product) { $0.prices = .usd(milliunits) }
    }

    /// Makes the customer consent to a price increase.
    package func acceptPriceIncrease(of customer: String) async throws {
        try await backend.perform(.acceptPriceIncrease(try await subscription(of: customer)), by: customer)
    }

    /// Removes a product from sale.
    package func removeFromSale(_ product: String) async throws {
        try await backend.change(product) { $0.isForSale = false }
    }

    /// Puts a product on sale again.
    package func putOnSale(_ product: String) async throws {
        try await backend.change(product) { $0.isForSale = true }
    }
}
