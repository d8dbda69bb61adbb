/// The products that an app sells, in both environments.
public struct CatalogInfo: ControlObject {
    /// The subscription groups. A group that only a product names is created with its id as its name.
    public var groups: [GroupInfo]?
    /// The products.
    public var products: [ProductInfo]
    /// The settings of the catalog.
    public var settings: CatalogSettingsInfo?

    public init(groups: [GroupInfo]? = nil, products: [ProductInfo], settings: CatalogSettingsInfo? = nil) {
        self.groups = groups
        self.products = products
        self.settings = settings
    }
}

/// A subscription group. A customer can subscribe to one product of a group at a time.
public struct GroupInfo: ControlObject {
    public static let limits = [ControlLimit.example(CodingKeys.groupId, "6A4DE401")]

    /// The subscription group identifier.
    public var groupId: String
    /// The name; the identifier by default.
    public var name: String?
    /// The names in several languages.
    public var localizations: [LocalizationInfo]?

    public init(groupId: String, name: String? = nil, localizations: [LocalizationInfo]? = nil) {
        self.groupId = groupId
        self.name = name
        self.localizations = localizations
    }
}

/// A name and a description in one language.
public struct LocalizationInfo: ControlObject {
    public static let limits = [ControlLimit.example(CodingKeys.locale, "en_US")]

    /// The locale.
    public var locale: String
    /// The name; empty by default.
    public var displayName: String?
    /// The description; empty by default.
    public var description: String?

    public init(locale: String, displayName: String? = nil, description: String? = nil) {
        self.locale = locale
        self.displayName = displayName
        self.description = description
    }
}

/// The settings of a catalog.
public struct CatalogSettingsInfo: ControlObject {
    public static let limits = [ControlLimit.example(CodingKeys.locale, "en_US")]

    /// The storefront whose currency the standard prices have; USA by default.
    public var storefront: Storefront?
    /// The language of the catalog; `en_US` by default.
    public var locale: String?
    /// Xcode's number for the subscription renewal rate. It is stored, but has no effect.
    public var timeRate: Int?
    /// Stored, but without effect; see the environment settings.
    public var billingGracePeriodEnabled: Bool?
    /// Stored, but without effect; see the card of a customer.
    public var renewalBillingIssuesEnabled: Bool?
    /// Stored, but without effect; see the customers.
    public var askToBuyEnabled: Bool?
    /// The app's Apple ID.
    public var appAppleId: Int64?

    public init(
        storefront: Storefront? = nil,
        locale: String? = nil,
        timeRate: Int? = nil,
        billingGracePeriodEnabled: Bool? = nil,
        renewalBillingIssuesEnabled: Bool? = nil,
        askToBuyEnabled: Bool? = nil,
        appAppleId: Int64? = nil
    ) {
        self.storefront = storefront
        self.locale = locale
        self.timeRate = timeRate
        self.billingGracePeriodEnabled = billingGracePeriodEnabled
        self.renewalBillingIssuesEnabled = renewalBillingIssuesEnabled
        self.askToBuyEnabled = askToBuyEnabled
        self.appAppleId = appAppleId
    }
}

/// The result of an import.
public struct CatalogImportInfo: ControlObject {
    /// The number of products in the file.
    public var products: Int
    /// The number of subscription groups in the file.
    public var groups: Int
    /// The number of offers in the file.
    public var offers: Int
    /// The number of products that were removed from sale because the file lacks them.
    public var removedFromSale: Int
    /// The version of the file format; absent if the file has none.
    public var version: String?
    /// The id of the key in the file, which now signs offers; absent if the file has none.
    public var offerKeyId: String?

    public init(
        products: Int,
        groups: Int,
        offers: Int,
        removedFromSale: Int,
        version: String? = nil,
        offerKeyId: String? = nil
    ) {
        self.products = products
        self.groups = groups
        self.offers = offers
        self.removedFromSale = removedFromSale
        self.version = version
        self.offerKeyId = offerKeyId
    }
}
