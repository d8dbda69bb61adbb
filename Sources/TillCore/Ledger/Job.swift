/// An action on many accounts of an app and environment, done account by account, once in each.
package struct Job: Codable, Equatable, Sendable {
    /// The action.
    package enum Work: Codable, Equatable, Sendable {
        case raisePrice(PriceRaise)
        /// Extends the current period of all subscribers of a product.
        case extend(MassExtension)
        /// Family sharing was turned on for a product: shares existing purchases.
        case shareProduct(String)
    }

    /// Unique in the store.
    package var id: String
    /// The action in each account.
    package var task: Work

    /// A job.
    package init(id: String, task: Work) {
        self.id = id
        self.task = task
    }
}

/// A price increase for existing subscribers.
package struct PriceRaise: Codable, Equatable, Sendable {
    /// Whether subscribers must agree.
    package enum Consent: String, Codable, CaseIterable, Sendable {
        /// As the App Store decides: by amount, frequency and the storefront's law.
        case automatic
        case required
        case notNeeded
    }

    /// The product with the new price.
    package var productID: String
    /// The new prices; storefronts whose price does not rise are not affected.
    package var prices: PriceList
    /// Automatic by default.
    package var consent: Consent

    /// A price increase.
    package init(productID: String, prices: PriceList, consent: Consent = .automatic) {
        self.productID = productID
        self.prices = prices
        self.consent = consent
    }
}

/// An extension of the current period for all subscribers of a product.
package struct MassExtension: Codable, Equatable, Sendable {
    /// The product.
    package var productID: String
    /// 1 to 90 calendar days.
    package var days: Int
    /// 0 to 3.
    package var reasonCode: Int
    /// Lower-case UUID text.
    package var request: String
    /// Alpha-3 codes; nil means every storefront.
    package var storefronts: [String]?

    /// A mass extension as the developer requests it.
    package init(productID: String, days: Int, reasonCode: Int, request: String, storefronts: [String]? = nil) {
        self.productID = productID
        self.days = days
        self.reasonCode = reasonCode
        self.request = request
        self.storefronts = storefronts
    }
}
