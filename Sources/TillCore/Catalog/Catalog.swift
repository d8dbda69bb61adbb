/// The products that an app sells. A new import changes future sales, never past transactions.
package struct Catalog: Codable, Equatable, Sendable {
    /// The products, by identifier.
    package var products: [String: Product]
    /// The subscription groups, by identifier.
    package var groups: [String: SubscriptionGroup]
    /// The settings of the imported file that are relevant for a server.
    package var settings: CatalogSettings

    /// A catalog. An empty catalog sells nothing.
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
package enum ProductKind: String, Codable, CaseIterable, Sendable {
    case autoRenewable
    case nonRenewing
    case consumable
    case nonConsumable

    /// The product type in a signed transaction (`type`).
    package var wireType: ProductType {
        switch self {
        case .autoRenewable: .autoRenewable
        case .nonRenewing: .nonRenewing
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        }
    }

    /// The text of `wireType`.
    package var wireName: String { wireType.rawValue }

    /// The product type in the `productType` parameter of the transaction history. Its values differ from those in the
    /// payload.
    package var typeName: ProductTypeName {
        switch self {
        case .autoRenewable: .autoRenewable
        case .nonRenewing: .nonRenewing
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        }
    }

    /// The text of `typeName`.
    package var queryName: String { typeName.rawValue }
}

/// A product of the catalog, with its prices and offers.
package struct Product: Codable, Equatable, Sendable {
    /// The product identifier, which is unique in the app.
    package var id: String
    /// The product type. It must not change after the first purchase, because the transactions contain it.
    package var type: ProductKind
    /// The name that the developer sees.
    package var referenceName: String
    /// The localized texts. No payload contains them; they are kept for exports of the catalog.
    package var localizations: [Localization]
    /// The price of one piece, or of one period that is billed upfront.
    package var prices: PriceList
    /// Whether family members can share the product; only for non-consumables and auto-renewable subscriptions.
    package var isFamilyShareable: Bool
    /// Whether customers can buy the product. A product that is removed from sale stays in the catalog.
    package var isForSale: Bool
    /// The group, level and period of an auto-renewable subscription; nil for other products.
    package var plan: SubscriptionPlan?
    /// Offers of every kind. One-time products have offer codes only.
    package var offers: [Offer]

    /// A product with its prices and offers.
    package init(
        id: String,
        type: ProductKind,
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

    /// The first offer of a kind. If an id is given, the offer must have this id. Offers of a monthly billing plan are
    /// excluded, because they are only for customers with that billing plan.
    package func offer(_ kind: OfferType, id: String? = nil) -> Offer? {
        offers.first { $0.kind == kind && (id == nil || $0.id == id) && $0.billingPlan != .monthly }
    }
}

/// A name and a description in one language.
package struct Localization: Codable, Equatable, Sendable {
    /// The locale, such as `en_US`.
    package var locale: String
    /// The name that customers see instead of the reference name. It may be empty.
    package var displayName: String
    package var description: String

    /// The texts in one language.
    package init(locale: String, displayName: String, description: String) {
        self.locale = locale
        self.displayName = displayName
        self.description = description
    }
}

/// A subscription group. A customer can be subscribed to at most one product of a group at a time.
package struct SubscriptionGroup: Codable, Equatable, Sendable {
    /// `subscriptionGroupIdentifier` in the payload.
    package var id: String
    /// The display name. If the imported file has no name, it is the group's identifier.
    package var name: String
    /// The localized texts. No payload contains them; they are kept for exports of the catalog.
    package var localizations: [Localization]

    /// A group, to which its products refer by the identifier.
    package init(id: String, name: String, localizations: [Localization] = []) {
        self.id = id
        self.name = name
        self.localizations = localizations
    }
}

/// The position of an auto-renewable subscription in its group.
package struct SubscriptionPlan: Codable, Equatable, Sendable {
    /// The group's identifier.
    package var groupID: String
    /// The level; 1 is the highest. A change between products of the same level is a crossgrade.
    package var level: Int
    /// The length of one period without an offer, from one week to one year.
    package var period: Period
    /// The billing plans. The list is usually empty, and then the product is billed upfront at its price.
    package var billingPlans: [BillingPlan]

    /// A position in a group, with its period.
    package init(groupID: String, level: Int, period: Period, billingPlans: [BillingPlan] = []) {
        self.groupID = groupID
        self.level = level
        self.period = period
        self.billingPlans = billingPlans
    }
}

/// A billing plan: the whole period is billed upfront, or a commitment of twelve months is billed monthly.
package struct BillingPlan: Codable, Equatable, Sendable {
    /// `billingPlanType` in a `.storekit` file. A product has at most one billing plan of each kind.
    package var kind: BillingPlanType
    /// The price of one payment.
    package var prices: PriceList
    /// The price of the whole commitment; only for `MONTHLY`.
    package var commitmentPrices: PriceList?
    /// `isEnabled` in a `.storekit` file; true if the file has no value.
    package var isEnabled: Bool

    /// A billing plan with its prices.
    package init(kind: BillingPlanType, prices: PriceList, commitmentPrices: PriceList? = nil, isEnabled: Bool = true) {
        self.kind = kind
        self.prices = prices
        self.commitmentPrices = commitmentPrices
        self.isEnabled = isEnabled
    }
}

/// The settings of a `.storekit` file that are relevant for a server.
package struct CatalogSettings: Codable, Equatable, Sendable {
    /// The alpha-3 code of the storefront whose currency the default prices use.
    package var storefront: String
    /// The language of the file, such as `en_US`.
    package var locale: String
    /// Xcode's number for the subscription renewal rate; 0 is real time.
    package var timeRate: Int
    /// `_billingGracePeriodEnabled` in a `.storekit` file.
    package var isBillingGracePeriodEnabled: Bool
    /// `_renewalBillingIssuesEnabled` in a `.storekit` file; `_billingIssuesEnabled` in older files.
    package var areRenewalBillingIssuesEnabled: Bool
    /// `_askToBuyEnabled` in a `.storekit` file.
    package var isAskToBuyEnabled: Bool
    /// The app's Apple ID, from a file that Xcode synced with App Store Connect.
    package var appAppleID: Int64?

    /// Settings. The defaults are those of a file without settings.
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
