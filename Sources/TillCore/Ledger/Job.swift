/// An action on many accounts of one app and environment. Each account is processed separately, and only once.
package struct Job: Codable, Equatable, Sendable {
    /// The kind of action.
    package enum Work: Codable, Equatable, Sendable {
        case raisePrice(PriceRaise)
        /// Extends the current period of all subscribers of a product.
        case extend(MassExtension)
        /// Shares the existing purchases of a product for which family sharing was turned on.
        case shareProduct(String)
    }

    /// The job's identifier, which is unique on this server.
    package var id: String
    /// The action for each account.
    package var task: Work

    /// A job with its identifier and action.
    package init(id: String, task: Work) {
        self.id = id
        self.task = task
    }
}

/// A price increase for existing subscribers.
package struct PriceRaise: Codable, Equatable, Sendable {
    /// The product whose price increases.
    package var productID: String
    /// The new prices. A storefront whose price does not increase is not affected.
    package var prices: PriceList
    /// Whether subscribers must agree; automatic by default.
    package var consent: PriceConsent

    /// A price increase.
    package init(productID: String, prices: PriceList, consent: PriceConsent = .automatic) {
        self.productID = productID
        self.prices = prices
        self.consent = consent
    }
}

/// An extension of the current period for all subscribers of a product.
package struct MassExtension: Codable, Equatable, Sendable {
    /// The product whose subscribers receive the extension.
    package var productID: String
    /// The length of the extension in calendar days, 1 to 90.
    package var days: Int
    /// `extendReasonCode`, 0 to 3.
    package var reasonCode: Int
    /// `requestIdentifier`, as a lower-case UUID.
    package var request: String
    /// The storefronts as alpha-3 codes; nil stands for every storefront.
    package var storefronts: [String]?

    /// A mass extension that the developer requests.
    package init(productID: String, days: Int, reasonCode: Int, request: String, storefronts: [String]? = nil) {
        self.productID = productID
        self.days = days
        self.reasonCode = reasonCode
        self.request = request
        self.storefronts = storefronts
    }
}
