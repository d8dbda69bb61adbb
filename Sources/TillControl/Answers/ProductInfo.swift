/// A product of the catalog.
public struct ProductInfo: ControlObject {
    public static let limits: [ControlLimit] = [
        .example(CodingKeys.productId, "com.example.pro.month"), .example(CodingKeys.price, "4.99"),
        .example(CodingKeys.currency, "USD"),
    ]

    /// The product identifier.
    public var productId: String
    /// The type of the product. It cannot change.
    public var type: ProductTypeName
    /// The name that the developer sees; the product identifier by default.
    public var referenceName: String?
    /// The price of one unit, or of one period: a decimal amount.
    public var price: String
    /// The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront.
    public var currency: String?
    /// Prices of single storefronts, by Alpha-3 code.
    public var prices: [String: PriceInfo]?
    /// Whether family members can share the product; false by default.
    public var familyShareable: Bool?
    /// Whether customers can buy the product, and subscriptions to it renew; true by default.
    public var forSale: Bool?
    /// The names in several languages.
    public var localizations: [LocalizationInfo]?
    /// Group, level and period; only for auto-renewable subscriptions, which require it.
    public var subscription: SubscriptionPlanInfo?
    /// The offers; for a one-time product only offer codes.
    public var offers: [OfferInfo]?

    public init(
        productId: String,
        type: ProductTypeName,
        referenceName: String? = nil,
        price: String,
        currency: String? = nil,
        prices: [String: PriceInfo]? = nil,
        familyShareable: Bool? = nil,
        forSale: Bool? = nil,
        localizations: [LocalizationInfo]? = nil,
        subscription: SubscriptionPlanInfo? = nil,
        offers: [OfferInfo]? = nil
    ) {
        self.productId = productId
        self.type = type
        self.referenceName = referenceName
        self.price = price
        self.currency = currency
        self.prices = prices
        self.familyShareable = familyShareable
        self.forSale = forSale
        self.localizations = localizations
        self.subscription = subscription
        self.offers = offers
    }
}

/// A price in one storefront.
public struct PriceInfo: ControlObject {
    public static let limits: [ControlLimit] = [
        .example(CodingKeys.price, "4.49"), .example(CodingKeys.currency, "EUR"),
    ]

    /// A decimal amount.
    public var price: String
    /// The currency, as an ISO 4217 code; the storefront's by default.
    public var currency: String?

    public init(price: String, currency: String? = nil) {
        self.price = price
        self.currency = currency
    }
}

/// A standard price, and the prices of single storefronts.
public struct PriceListInfo: ControlObject {
    /// A decimal amount.
    public var price: String
    /// The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront.
    public var currency: String?
    /// Prices of single storefronts, by Alpha-3 code.
    public var prices: [String: PriceInfo]?

    public init(price: String, currency: String? = nil, prices: [String: PriceInfo]? = nil) {
        self.price = price
        self.currency = currency
        self.prices = prices
    }
}

/// The place of an auto-renewable subscription in its group.
public struct SubscriptionPlanInfo: ControlObject {
    public static let limits: [ControlLimit] = [
        .range(CodingKeys.level, 1...1_000_000), .example(CodingKeys.period, "P1M"),
    ]

    /// The subscription group identifier.
    public var groupId: String
    /// The level; 1 is the highest.
    public var level: Int
    /// The length of a period: `P1W`, `P1M`, `P2M`, `P3M`, `P6M` or `P1Y`.
    public var period: String
    /// The billing plans of a yearly product; absent if the year is billed upfront at the product's price.
    public var billingPlans: [BillingPlanInfo]?

    public init(groupId: String, level: Int, period: String, billingPlans: [BillingPlanInfo]? = nil) {
        self.groupId = groupId
        self.level = level
        self.period = period
        self.billingPlans = billingPlans
    }
}

/// A billing plan: the whole period is billed upfront, or a commitment of a year is billed monthly.
public struct BillingPlanInfo: ControlObject {
    /// The kind of billing plan.
    public var kind: BillingPlanType
    /// The price of one payment: a decimal amount.
    public var price: String
    /// The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront.
    public var currency: String?
    /// Prices of single storefronts, by Alpha-3 code.
    public var prices: [String: PriceInfo]?
    /// The price of the whole commitment; only for `MONTHLY`, by default twelve times the price.
    public var commitment: PriceListInfo?
    /// Whether customers can choose the plan; true by default.
    public var enabled: Bool?

    public init(
        kind: BillingPlanType,
        price: String,
        currency: String? = nil,
        prices: [String: PriceInfo]? = nil,
        commitment: PriceListInfo? = nil,
        enabled: Bool? = nil
    ) {
        self.kind = kind
        self.price = price
        self.currency = currency
        self.prices = prices
        self.commitment = commitment
        self.enabled = enabled
    }
}
