import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// An app's products: subscription groups with their levels, and one-time purchases.
    static let catalog = ConsolePage(
        "\(scope)/catalog",
        "catalog",
        menu: "Catalog",
        documentation: [.catalog, .offers]
    ) { page in
        let bundleID = try page.app.bundleId
        let catalog = try await page.send(GetCatalog(bundleId: bundleID))
        let list = CatalogTable(catalog)
        let (shown, next) = page.part(of: list.products, by: \.productId)
        let storeKitFile =
            "Xcode .storekit file. Adds and replaces products. Products that are not in the file stay in the catalog, "
            + "but are removed from sale."
        return [
            "sections": list.sections(of: shown, page), "isEmpty": list.products.isEmpty,
            "count": list.products.count, "next": next,
            "groups": page.value("after") == nil ? list.emptyGroups : nil,
            "settings": [
                "storefront": catalog.settings?.storefront?.code, "locale": catalog.settings?.locale,
            ] as PageValue,
            "importFile": page.form(ImportStoreKitFile(bundleId: bundleID), "Import", file: storeKitFile),
            "addGroup": page.form(
                PutGroup(bundleId: bundleID),
                "Add or rename group",
                [.init("groupId", "Group ID", hint: "plans"), .init("name", "Reference name")]
            ),
            "addProduct": page.form(PutProduct(bundleId: bundleID), "Add product", productFields(list.groups)),
        ]
    }

    private static func productFields(_ groups: [GroupInfo]) -> [FormField] {
        let types = ProductTypeName.allCases.map { ($0.rawValue, CatalogWords.type($0)) }
        let periods = ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"].map { (iso: String) in
            (iso, CatalogWords.period(iso) ?? iso)
        }
        let nothing: [FormField.Option] = [("", "–")]
        let known = (1...ListLimit.options).contains(groups.count)
        let choices = nothing + groups.map { ($0.groupId, $0.name ?? $0.groupId) }
        return [
            .init("productId", "Product ID", hint: "com.example.pro.month"), .init("type", "Type", .choice(types)),
            .init("referenceName", "Reference name"), .init("price", "Price", hint: "4.99"),
            .init("currency", "Currency", hint: "USD"),
            .init("subscription.groupId", "Subscription group", known ? .choice(choices) : nil),
            .init("subscription.level", "Level", hint: "1"),
            .init("subscription.period", "Period", .choice(nothing + periods)),
            .init("familyShareable", "Family Sharing"),
        ]
    }
}

/// A catalog in display order: group by group, highest level first, then one-time purchases.
struct CatalogTable: Sendable {
    let groups: [GroupInfo]
    let products: [ProductInfo]

    init(_ catalog: CatalogInfo) {
        groups = catalog.groups ?? []
        products = catalog.products.sorted { left, right in
            let (one, other) = (left.subscription, right.subscription)
            return switch (one?.groupId, other?.groupId) {
            case (let group?, let otherGroup?) where group != otherGroup: group < otherGroup
            case (nil, _?): false
            case (_?, nil): true
            default: (one?.level ?? 0, left.productId) < (other?.level ?? 0, right.productId)
            }
        }
    }

    /// The sections of the page: one for each subscription group, and one for one-time purchases.
    func sections(of shown: ArraySlice<ProductInfo>, _ page: PageRequest) -> [PageValue] {
        var sections: [(group: String?, rows: [PageValue])] = []
        let hasTexts = shown.contains { !Self.otherNames($0.localizations, than: $0.referenceName).isEmpty }
        for product in shown {
            let group = product.subscription?.groupId
            if sections.last?.group != group || sections.isEmpty { sections.append((group, [])) }
            sections[sections.count - 1].rows.append(Self.row(product, page).with(["hasTexts": hasTexts]))
        }
        return sections.enumerated().map { index, section in
            let group = groups.first { $0.groupId == section.group }
            return [
                "id": "section-\(index)", "name": section.group.map { group?.name ?? $0 }, "groupId": section.group,
                "isGroup": section.group != nil, "rows": section.rows, "hasTexts": hasTexts,
                "texts": Self.texts(Self.otherNames(group?.localizations, than: group?.name)),
            ]
        }
    }

    private static func row(_ product: ProductInfo, _ page: PageRequest) -> PageValue {
        let storefronts = CatalogWords.storefronts(product.prices)
        let offers = product.offers ?? []
        return about(product).with([
            "link": page.link(toProduct: product.productId), "name": product.referenceName,
            "storefronts": Array(storefronts.prefix(4)),
            "moreStorefronts": more(storefronts.count, than: 4, "storefront"),
            "texts": texts(otherNames(product.localizations, than: product.referenceName)),
            "offers": offers.prefix(6).listed {
                [
                    "kind": CatalogWords.kind($0.kind), "name": $0.id ?? $0.referenceName,
                    "terms": CatalogWords.terms($0),
                ]
            },
            "moreOffers": more(offers.count, than: 6, "offer").map {
                ["words": $0, "of": product.referenceName, "link": page.link(toProduct: product.productId)] as PageValue
            },
        ])
    }

    /// The type, price and status of a product.
    static func about(_ product: ProductInfo) -> PageValue {
        [
            "id": product.productId, "type": CatalogWords.type(product.type), "level": product.subscription?.level,
            "price": CatalogWords.price(product.price, product.currency),
            "billingInterval": CatalogWords.billingInterval(product.subscription?.period),
            "isForSale": product.forSale != false, "isShareable": product.familyShareable == true,
        ]
    }

    /// `2 more offers`; nil if all are shown.
    private static func more(_ count: Int, than limit: Int, _ noun: String) -> String? {
        count > limit ? Words.count(count - limit, "more \(noun)") : nil
    }

    /// The localizations whose name does not only repeat the reference name.
    private static func otherNames(_ texts: [LocalizationInfo]?, than name: String?) -> [LocalizationInfo] {
        (texts ?? []).filter { $0.displayName != name }
    }

    /// Localized names and descriptions.
    static func texts(_ texts: [LocalizationInfo]?) -> PageValue {
        (texts ?? []).prefix(ListLimit.elements).listed { text in
            [
                "locale": text.locale, "name": text.displayName, "description": text.description,
                "language": text.locale.replacing("_", with: "-"),
            ]
        }
    }

    /// Groups without products.
    var emptyGroups: PageValue {
        let used = Set(products.compactMap(\.subscription?.groupId))
        return groups.filter { !used.contains($0.groupId) }.prefix(ListLimit.elements).listed {
            ["id": $0.groupId, "name": $0.name ?? $0.groupId, "texts": Self.texts($0.localizations)]
        }
    }
}
