/// What an app sells. A new import changes future sales, never past ones.
package struct Catalog: Codable, Equatable, Sendable {
    /// Every product by its identifier.
    package var products: [String: Product]
    /// Subscription groups by their identifier.
    package var groups: [String: SubscriptionGroup]
    /// Settings of the imported file that matter to a server.
    package var settings: CatalogSettings

    /// A catalog; an empty one sells nothing.
    package init(
        products: [String: Product] = [:],
        groups: [String: SubscriptionGroup] = [:],
        settings: CatalogSettings = CatalogSettings()
    ) {
        self.products = products
        self.groups = groups
        self.settings = settings
    }
}

/// The four kinds of product.
package enum ProductType: String, Codable, CaseIterable, Sendable {
    case autoRenewable
    case nonRenewing
    case consumable
    case nonConsumable

    /// The value of `type` in a signed transaction.
    package var wireName: String {
        switch self {
        case .autoRenewable: "Auto-Renewable Subscription"
        case .nonRenewing: "Non-Renewing Subscription"
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        }
    }

    /// The value of the `productType` parameter of the history routes, which is not the payload's.
    package var queryName: String {
        switch self {
        case .autoRenewable: "AUTO_RENEWABLE"
        case .nonRenewing: "NON_RENEWABLE"
        case .consumable: "CONSUMABLE"
        case .nonConsumable: "NON_CONSUMABLE"
        }
    }
}

/// One product.
package struct Product: Codable, Equatable, Sendable {
    /// The product identifier, unique in the app.
    package var id: String
    /// Fixed once the product was bought, because its transactions contain it.
    package var type: ProductType
    /// The name that the developer sees.
    package var referenceName: String
    /// Localized texts, kept for exports of the catalog; they are in no payload.
    package var localizations: [Localization]
    /// The price of one piece, or of one period that is paid up front.
    package var prices: PriceList
    /// Whether a family can share it; only non-consumables and auto-renewables.
    package var isFamilyShareable: Bool
    /// Whether it can be bought; a product that is removed from sale stays in the catalog.
    package var isForSale: Bool
    /// Only for auto-renewables: its place in a group.
    package var plan: SubscriptionPlan?
    /// Offers of every kind; one-time products have code offers only.
    package var offers: [Offer]

    /// A product as the store sells it.
    package init(
        id: String,
        type: ProductType,
        referenceName: String,
        localizations: [Localization] = [],
        prices: PriceList,
        isFamilyShareable: Bool = false,
        isForSale: Bool = true,
        plan: SubscriptionPlan? = nil,
        offers: [Offer] = []
    ) {
        self.id = id
        self.type = type
        self.referenceName = referenceName
        self.localizations = localizations
        self.prices = prices
        self.isFamilyShareable = isFamilyShareable
        self.isForSale = isForSale
        self.plan = plan
        self.offers = offers
    }

    /// The first offer of a kind and, where the kind has identifiers, of that identifier. Offers of a monthly billing
    /// plan are only for customers who pay monthly.
    package func offer(_ kind: OfferKind, id: String? = nil) -> Offer? {
        offers.first { $0.kind == kind && (id == nil || $0.id == id) && $0.billingPlan != .monthly }
    }
}

/// A name and a description in one language.
package struct Localization: Codable, Equatable, Sendable {
    /// `en_US` and the like.
    package var locale: String
    /// The name shown to customers instead of the reference name; may be empty.
    package var displayName: String
    package var description: String

    /// The texts of one language.
    package init(locale: String, displayName: String, description: String) {
        self.locale = locale
        self.displayName = displayName
        self.description = description
    }
}

/// A subscription group: a customer has at most one of its products at a time.
package struct SubscriptionGroup: Codable, Equatable, Sendable {
    /// `subscriptionGroupIdentifier` on the wire.
    package var id: String
    /// For display only; the identifier where the document gives no name.
    package var name: String
    /// Localized texts, kept for exports of the catalog; they are in no payload.
    package var localizations: [Localization]

    /// A group; its products refer to it.
    package init(id: String, name: String, localizations: [Localization] = []) {
        self.id = id
        self.name = name
        self.localizations = localizations
    }
}

/// An auto-renewable's place in its group.
package struct SubscriptionPlan: Codable, Equatable, Sendable {
    /// The group's identifier.
    package var groupID: String
    /// 1 is the highest; equal levels are crossgrades of each other.
    package var level: Int
    /// How long one purchase lasts without an offer: from a week to a year.
    package var period: Period
    /// The billing plans of the catalog; usually empty, and the product is paid up front at its price.
    package var billingPlans: [BillingPlan]

    /// A level and a period in a group.
    package init(groupID: String, level: Int, period: Period, billingPlans: [BillingPlan] = []) {
        self.groupID = groupID
        self.level = level
        self.period = period
        self.billingPlans = billingPlans
    }
}

/// A billing plan: the whole period at once, or monthly with a commitment of twelve months.
package struct BillingPlan: Codable, Equatable, Sendable {
    /// `BILLED_UPFRONT` or `MONTHLY`.
    package enum Kind: String, Codable, Sendable {
        case billedUpfront = "BILLED_UPFRONT"
        case monthly = "MONTHLY"
    }

    /// `billingPlanType` in a `.storekit` file; unique among a product's plans.
    package var kind: Kind
    /// The price of one payment.
    package var prices: PriceList
    /// The price of the whole commitment; only for `MONTHLY`.
    package var commitmentPrices: PriceList?
    /// `isEnabled` in a `.storekit` file; true where the file does not say.
    package var isEnabled: Bool

    /// One way to pay.
    package init(kind: Kind, prices: PriceList, commitmentPrices: PriceList? = nil, isEnabled: Bool = true) {
        self.kind = kind
        self.prices = prices
        self.commitmentPrices = commitmentPrices
        self.isEnabled = isEnabled
    }
}

/// The settings of a `.storekit` file that matter to a server.
package struct CatalogSettings: Codable, Equatable, Sendable {
    /// The storefront whose currency the default prices use; alpha-3.
    package var storefront: String
    /// The file's language, `en_US`.
    package var locale: String
    /// Xcode's number for how fast time passes; 0 is real time.
    package var timeRate: Int
    /// `_billingGracePeriodEnabled` in a `.storekit` file.
    package var isBillingGracePeriodEnabled: Bool
    /// `_renewalBillingIssuesEnabled` in a `.storekit` file, `_billingIssuesEnabled` in older ones.
    package var areRenewalBillingIssuesEnabled: Bool
    /// `_askToBuyEnabled` in a `.storekit` file.
    package var isAskToBuyEnabled: Bool
    /// The Apple id of a synced file.
    package var appAppleID: Int64?

    /// Settings; the defaults are those of a file without settings.
    package init(
        storefront: String = "USA",
        locale: String = "en_US",
        timeRate: Int = 0,
        isBillingGracePeriodEnabled: Bool = false,
        areRenewalBillingIssuesEnabled: Bool = false,
        isAskToBuyEnabled: Bool = false,
        appAppleID: Int64? = nil
    ) {
        self.storefront = storefront
        self.locale = locale
        self.timeRate = timeRate
        self.isBillingGracePeriodEnabled = isBillingGracePeriodEnabled
        self.areRenewalBillingIssuesEnabled = areRenewalBillingIssuesEnabled
        self.isAskToBuyEnabled = isAskToBuyEnabled
        self.appAppleID = appAppleID
    }
}
