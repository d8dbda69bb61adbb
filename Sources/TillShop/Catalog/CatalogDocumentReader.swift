import TillCore
import TillJSON

/// Converts a ``CatalogDocument`` into values of TillCore, and reports every fault.
struct CatalogDocumentReader {
    var reader = DocumentReader()
    private var currency: String

    init(settings: CatalogSettings) {
        currency = Storefront(code: settings.storefront)?.currency ?? Storefront.unitedStates.currency
    }

    /// A whole catalog.
    mutating func catalog(_ element: DocumentElement) -> CatalogImport {
        var outcome = CatalogImport(catalog: Catalog())
        guard let root = reader.object(element) else { return outcome }
        reader.onlyKeys(root, ["groups", "products", "settings"])
        if root["products"] == nil {
            reader.fault(root.path("products"), expected: "an array of products", found: "nothing")
        }
        if let settings = reader.object(root, "settings") {
            outcome.catalog.settings = self.settings(settings)
            currency = Storefront(code: outcome.catalog.settings.storefront)?.currency ?? currency
        }
        for entry in reader.elements(root, "groups", atMost: CatalogLimits.groups) {
            guard let group = group(entry) else { continue }
            if outcome.catalog.groups.updateValue(group, forKey: group.id) != nil {
                let found = JSONTree.string(group.id).summary + " again"
                reader.fault("\(entry.path).groupId", expected: "a unique identifier for each group", found: found)
            }
        }
        for entry in reader.elements(root, "products", atMost: CatalogLimits.products) {
            guard let product = product(entry) else { continue }
            if let earlier = outcome.paths[product.id] {
                let found = "\"\(JSONTree.short(product.id))\" after \(earlier)"
                let expected = "a unique identifier for each product"
                reader.fault("\(entry.path).productId", expected: expected, found: found)
            }
            outcome.paths[product.id] = entry.path
            outcome.catalog.put(product)
        }
        return outcome
    }

    /// One group.
    mutating func group(_ element: DocumentElement) -> SubscriptionGroup? {
        guard let object = reader.object(element) else { return nil }
        reader.onlyKeys(object, ["groupId", "name", "localizations"])
        let id = reader.identifier(object, "groupId")
        let name = reader.text(object, "name")
        let localizations = reader.localizations(object)
        return id.map { SubscriptionGroup(id: $0, name: name ?? $0, localizations: localizations) }
    }

    /// One product.
    mutating func product(_ element: DocumentElement) -> Product? {
        guard let object = reader.object(element) else { return nil }
        let id = reader.identifier(object, "productId")
        let types: KeyValuePairs<String, ProductKind> = [
            "AUTO_RENEWABLE": .autoRenewable, "NON_RENEWABLE": .nonRenewing, "CONSUMABLE": .consumable,
            "NON_CONSUMABLE": .nonConsumable,
        ]
        guard let type = reader.choice(object, "type", of: types) else { return nil }
        reader.onlyKeys(
            object,
            [
                "productId", "type", "referenceName", "price", "currency", "prices", "familyShareable", "forSale",
                "localizations", "offers",
            ] + (type == .autoRenewable ? ["subscription"] : []),
            why: type == .autoRenewable ? "" : " of a product that is not a subscription"
        )
        let referenceName = reader.text(object, "referenceName")
        let prices = priceList(object)
        let isFamilyShareable = reader.flag(object, "familyShareable")
        if isFamilyShareable, type == .consumable || type == .nonRenewing {
            let expected = "false, since a \(type.wireName) cannot be shared"
            reader.fault(object.path("familyShareable"), expected: expected, found: "true")
        }
        let isForSale = reader.flag(object, "forSale", default: true)
        let localizations = reader.localizations(object)
        let plan = type == .autoRenewable ? subscription(object) : nil
        let offers = offers(object, type: type, period: plan?.period)
        guard let id, let prices, type != .autoRenewable || plan != nil else { return nil }
        return Product(
            id: id,
            type: type,
            referenceName: referenceName ?? id,
            localizations: localizations,
            prices: prices,
            isFamilyShareable: isFamilyShareable,
            isForSale: isForSale,
            plan: plan,
            offers: offers
        )
    }

    /// Reads `price` and `currency`, which are the default price, and `prices`, which are the prices by storefront.
    mutating func priceList(_ object: DocumentObject) -> PriceList? {
        let currency = currency(object) ?? self.currency
        let standard = reader.money(object, "price", currency: currency)
        var byStorefront: [String: Money] = [:]
        if let prices = reader.object(object, "prices") {
            for code in prices.keys {
                guard let storefront = Storefront(code: code) else {
                    let expected = "the three capital letters of a storefront, such as \"DEU\""
                    let found = "the key \"\(JSONTree.short(code))\""
                    reader.fault(prices.path(code), expected: expected, found: found)
                    continue
                }
                guard let entry = reader.object(prices, code) else { continue }
                reader.onlyKeys(entry, ["price", "currency"])
                let own = self.currency(entry) ?? storefront.currency
                byStorefront[code] = reader.money(entry, "price", currency: own)
            }
        }
        return standard.map { PriceList(standard: $0, byStorefront: byStorefront) }
    }

    private mutating func currency(_ object: DocumentObject) -> String? {
        guard let value = object["currency"] else { return nil }
        guard case .string(let code) = value, CatalogDocument.isCurrency(code) else {
            let expected = "three capital letters, such as \"USD\""
            reader.fault(object.path("currency"), expected: expected, found: value.summary)
            return nil
        }
        return code
    }

    private mutating func settings(_ object: DocumentObject) -> CatalogSettings {
        reader.onlyKeys(
            object,
            [
                "storefront", "locale", "timeRate", "billingGracePeriodEnabled", "renewalBillingIssuesEnabled",
                "askToBuyEnabled", "appAppleId",
            ]
        )
        var settings = CatalogSettings()
        settings.storefront = reader.storefront(object, "storefront") ?? settings.storefront
        settings.locale = reader.identifier(object, "locale", isRequired: false) ?? settings.locale
        settings.timeRate = reader.timeRate(object, "timeRate") ?? settings.timeRate
        settings.isBillingGracePeriodEnabled = reader.flag(object, "billingGracePeriodEnabled")
        settings.areRenewalBillingIssuesEnabled = reader.flag(object, "renewalBillingIssuesEnabled")
        settings.isAskToBuyEnabled = reader.flag(object, "askToBuyEnabled")
        settings.appAppleID = reader.integer(object, "appAppleId", in: CatalogLimits.appleIDs).map(Int64.init)
        return settings
    }
}
