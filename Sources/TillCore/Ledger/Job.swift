/// An act that concerns many accounts of an app and environment: done account by account, each once.
package struct Job: Codable, Equatable, Sendable {
    /// What is done.
    package enum Work: Codable, Equatable, Sendable {
        case raisePrice(PriceRaise)
        /// Everybody's running subscription to a product ends later.
        case extend(MassExtension)
        /// Sharing was switched on for a product: families get what their members have.
        case shareProduct(String)
    }

    /// Unique in the store.
    package var id: String
    /// What is done in each account.
    package var task: Work

    /// A job.
    package init(id: String, task: Work) {
        self.id = id
        self.task = task
    }
}

/// A higher price for those who are subscribed.
package struct PriceRaise: Codable, Equatable, Sendable {
    /// Whether subscribers must agree.
    package enum Consent: String, Codable, CaseIterable, Sendable {
        /// As the App Store judges: by how much, how often, and by the storefront's law.
        case automatic
        case required
        case notNeeded
    }

    /// Whose price rises.
    package var productID: String
    /// The new prices; a storefront whose price does not rise is not concerned.
    package var prices: PriceList
    /// As the App Store judges, unless somebody says otherwise.
    package var consent: Consent

    /// A higher price.
    package init(productID: String, prices: PriceList, consent: Consent = .automatic) {
        self.productID = productID
        self.prices = prices
        self.consent = consent
    }
}

/// A later end of the running period for everybody who subscribes to a product.
package struct MassExtension: Codable, Equatable, Sendable {
    /// Whose subscribers are concerned.
    package var productID: String
    /// 1 to 90 calendar days.
    package var days: Int
    /// 0 to 3.
    package var reasonCode: Int
    /// Lower-case UUID text.
    package var request: String
    /// Alpha-3 codes; nil is every storefront.
    package var storefronts: [String]?

    /// A mass extension as the developer asks for it.
    package init(productID: String, days: Int, reasonCode: Int, request: String, storefronts: [String]? = nil) {
        self.productID = productID
        self.days = days
        self.reasonCode = reasonCode
        self.request = request
        self.storefronts = storefronts
    }
}
