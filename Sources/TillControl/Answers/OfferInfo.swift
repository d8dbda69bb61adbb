/// An offer of a product in the catalog.
public struct OfferInfo: ControlObject {
    public static let limits: [ControlLimit] = [.example(CodingKeys.period, "P1W"), .example(CodingKeys.price, "1.99")]

    /// The kind of offer.
    public var kind: OfferKind
    /// The offer identifier; required, except for introductory offers. The default of an offer code is referenceName.
    public var id: String?
    /// The name that the developer sees.
    public var referenceName: String?
    /// The payment mode: `ONE_TIME` for a one-time product, another for a subscription.
    public var mode: OfferDiscountType
    /// The length of one period of the offer; absent for `ONE_TIME`.
    public var period: String?
    /// The number of periods; 1 by default, and more only for `PAY_AS_YOU_GO`.
    public var periodCount: Int?
    /// The price of one payment, a decimal amount; absent for `FREE_TRIAL`.
    public var price: String?
    /// The currency of the price, as an ISO 4217 code; by default that of the catalog's storefront.
    public var currency: String?
    /// Prices of single storefronts, by Alpha-3 code.
    public var prices: [String: PriceInfo]?
    /// The customers who may redeem an offer code; all by default.
    public var audience: [OfferAudience]?
    /// The maximum number of redemptions of an offer code; unlimited by default.
    public var redemptionLimit: Int?
    /// Whether an offer code applies after the introductory offer instead of replacing it; false by default.
    public var stackable: Bool?
    /// The conditions of a win-back offer.
    public var winBack: WinBackInfo?
    /// The billing plan to which the offer belongs; billed upfront by default.
    public var billingPlan: BillingPlanType?

    public init(
        kind: OfferKind,
        id: String? = nil,
        referenceName: String? = nil,
        mode: OfferDiscountType,
        period: String? = nil,
        periodCount: Int? = nil,
        price: String? = nil,
        currency: String? = nil,
        prices: [String: PriceInfo]? = nil,
        audience: [OfferAudience]? = nil,
        redemptionLimit: Int? = nil,
        stackable: Bool? = nil,
        winBack: WinBackInfo? = nil,
        billingPlan: BillingPlanType? = nil
    ) {
        self.kind = kind
        self.id = id
        self.referenceName = referenceName
        self.mode = mode
        self.period = period
        self.periodCount = periodCount
        self.price = price
        self.currency = currency
        self.prices = prices
        self.audience = audience
        self.redemptionLimit = redemptionLimit
        self.stackable = stackable
        self.winBack = winBack
        self.billingPlan = billingPlan
    }
}

/// The conditions under which a former subscriber may redeem a win-back offer.
public struct WinBackInfo: ControlObject {
    public static let limits: [ControlLimit] = [
        .range(CodingKeys.minimumPaidMonths, 1...60), .range(CodingKeys.monthsBetweenOffers, 2...24),
    ]

    /// The minimum number of paid months; 1 by default.
    public var minimumPaidMonths: Int?
    /// The minimum and the maximum number of months since the subscription expired; 1 and 24 by default.
    public var monthsSinceExpiry: [Int]?
    /// The minimum number of months between two win-back offers for one customer; 2 by default.
    public var monthsBetweenOffers: Int?

    public init(minimumPaidMonths: Int? = nil, monthsSinceExpiry: [Int]? = nil, monthsBetweenOffers: Int? = nil) {
        self.minimumPaidMonths = minimumPaidMonths
        self.monthsSinceExpiry = monthsSinceExpiry
        self.monthsBetweenOffers = monthsBetweenOffers
    }
}
