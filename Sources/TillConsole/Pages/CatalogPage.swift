import TillControl
import TillServer
import TillShop

extension ConsolePage {
    /// An app's products: subscription groups with their levels, and one-time purchases.
    static let catalog = ConsolePage(
        path: CatalogTable.path,
        template: Template("catalog", PackageResources.catalog_mustache)
    ) { page in
        let bundleID = try page.app.bundleId
        let catalog = try await page.send(GetCatalog(bundleId: bundleID))
        let list = CatalogTable(catalog)
        let (shown, next) = list.page(after: page.value("after"))
        return PageContent(
            "Catalog",
            [
                "sections": .list(list.sections(of: shown, page)),
                "isEmpty": .flag(list.products.isEmpty),
                "count": PageValue(list.products.count),
                "next": PageValue(
                    next.flatMap { page.link(CatalogTable.path, query: [(name: "after", value: $0)]) }
                ),
                "groups": .list(page.value("after") == nil ? list.emptyGroups : []),
                "settings": [
                    "storefront": PageValue(catalog.settings?.storefront?.code),
                    "locale": PageValue(catalog.settings?.locale),
                ],
                "importFile": ActionForm(
                    ImportStoreKitFile(bundleId: bundleID),
                    "Import",
                    file: "Xcode .storekit file. Adds and replaces products. Products that are not in the file stay "
                        + "in the catalog, but are removed from sale."
                ).value(page),
                "addGroup": CatalogForms.group(bundleID).value(page),
                "addProduct": CatalogForms.product(bundleID, list.groups).value(page),
            ]
        )
    }
}

/// A catalog in display order: group by group, highest level first, then one-time purchases.
struct CatalogTable: Sendable {
    static let path = "/console/apps/{bundleId}/{environment}/catalog"
    static let maxShown = 50

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

    /// A page of products, and the cursor of the next page.
    func page(after: String?) -> (shown: ArraySlice<ProductInfo>, next: String?) {
        let start = after.flatMap { id in products.firstIndex { $0.productId == id } }.map { $0 + 1 } ?? 0
        let shown = products[start...].prefix(Self.maxShown)
        return (shown, shown.endIndex < products.endIndex ? shown.last?.productId : nil)
    }

    /// The sections of the page: one for each subscription group, and one for one-time purchases.
    func sections(of shown: ArraySlice<ProductInfo>, _ page: PageRequest) -> [PageValue] {
        var sections: [(group: String?, rows: [PageValue])] = []
        for product in shown {
            let group = product.subscription?.groupId
            if sections.last?.group != group || sections.isEmpty { sections.append((group, [])) }
            sections[sections.count - 1].rows.append(row(product, page))
        }
        return sections.enumerated().map { index, section in
            let group = groups.first { $0.groupId == section.group }
            return [
                "id": .text("section-\(index)"), "name": PageValue(section.group.map { group?.name ?? $0 }),
                "groupId": PageValue(section.group), "isGroup": .flag(section.group != nil),
                "texts": Self.texts(group?.localizations), "rows": .list(section.rows),
            ]
        }
    }

    private func row(_ product: ProductInfo, _ page: PageRequest) -> PageValue {
        let storefronts = CatalogWords.storefronts(product.prices)
        let offers = product.offers ?? []
        return [
            "id": .text(product.productId), "link": PageValue(page.link(toProduct: product.productId)),
            "name": PageValue(product.referenceName), "type": .text(CatalogWords.type(product.type)),
            "level": PageValue(product.subscription.map { String($0.level) }),
            "price": PageValue(CatalogWords.price(product.price, product.currency)),
            "billingInterval": PageValue(CatalogWords.billingInterval(product.subscription?.period)),
            "storefronts": .list(Array(storefronts.prefix(4))),
            "moreStorefronts": Self.more(storefronts.count, than: 4, "storefront"),
            "texts": Self.texts(product.localizations), "isForSale": .flag(product.forSale != false),
            "isShareable": .flag(product.familyShareable == true),
            "offers": .list(
                offers.prefix(6).map {
                    ["kind": .text(CatalogWords.kind($0.kind)), "terms": .text(CatalogWords.terms($0))]
                }
            ),
            "moreOffers": Self.more(offers.count, than: 6, "offer"),
        ]
    }

    /// `2 more offers`; nothing if all are shown.
    private static func more(_ count: Int, than limit: Int, _ noun: String) -> PageValue {
        let rest = count - limit
        return rest > 0 ? .text("\(rest) more \(noun)\(rest == 1 ? "" : "s")") : .nothing
    }

    /// Localized names and descriptions.
    static func texts(_ texts: [LocalizationInfo]?) -> PageValue {
        .list(
            (texts ?? []).prefix(50).map { text in
                [
                    "locale": .text(text.locale), "name": PageValue(text.displayName),
                    "language": .text(text.locale.replacing("_", with: "-")),
                    "description": PageValue(text.description),
                ]
            }
        )
    }

    /// Groups without products.
    var emptyGroups: [PageValue] {
        let used = Set(products.compactMap(\.subscription?.groupId))
        return groups.filter { !used.contains($0.groupId) }.prefix(Self.maxShown).map {
            ["id": .text($0.groupId), "name": .text($0.name ?? $0.groupId), "texts": Self.texts($0.localizations)]
        }
    }
}

/// Forms that add groups and products.
enum CatalogForms {
    static func group(_ bundleID: String) -> ActionForm {
        ActionForm(
            PutGroup(bundleId: bundleID),
            "Add or rename group",
            [.init("groupId", "Group ID", hint: "plans"), .init("name", "Reference name")]
        )
    }

    static func product(_ bundleID: String, _ groups: [GroupInfo]) -> ActionForm {
        let types = ProductTypeName.allCases.map { (value: $0.rawValue, name: CatalogWords.type($0)) }
        let periods: [(value: String, name: String)] = [
            ("", "–"), ("P1W", "1 week"), ("P1M", "1 month"), ("P2M", "2 months"), ("P3M", "3 months"),
            ("P6M", "6 months"), ("P1Y", "1 year"),
        ]
        let known = (1...200).contains(groups.count)
        let choices = [(value: "", name: "–")] + groups.map { (value: $0.groupId, name: $0.name ?? $0.groupId) }
        return ActionForm(
            PutProduct(bundleId: bundleID),
            "Add product",
            [
                .init("productId", "Product ID", hint: "com.example.pro.month"),
                .init("type", "Type", .choice(types)), .init("referenceName", "Reference name"),
                .init("price", "Price", hint: "4.99"), .init("currency", "Currency", hint: "USD"),
                .init("subscription.groupId", "Subscription group", known ? .choice(choices) : nil),
                .init("subscription.level", "Level", hint: "1"),
                .init("subscription.period", "Period", .choice(periods)),
                .init("familyShareable", "Family Sharing"),
            ]
        )
    }
}
