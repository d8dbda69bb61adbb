import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// An app's products: subscription groups with their levels, and one-time purchases.
    static let catalog = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/catalog",
        template: Template("catalog", PackageResources.catalog_mustache)
    ) { page in
        let catalog = try await page.ask("getCatalog")
        let list = CatalogList(catalog)
        let (shown, next) = list.page(after: page.value("after"))
        return PageContent(
            "Catalog",
            [
                "sections": .list(list.sections(of: shown, page)),
                "isEmpty": .flag(list.products.isEmpty),
                "count": PageValue(list.products.count),
                "next": PageValue(
                    next.flatMap {
                        page.link("/console/apps/{bundleId}/{environment}/catalog", query: [(name: "after", value: $0)])
                    }
                ),
                "groups": .list(page.value("after") == nil ? list.emptyGroups : []),
                "settings": CatalogList.settings(catalog),
                "importFile": ActionForm(
                    "importStoreKitFile",
                    "Import",
                    file: "Xcode .storekit file. Adds and replaces products. Products that are not in the file stay "
                        + "in the catalog, but are removed from sale."
                ).value(page),
                "addGroup": CatalogForms.group.value(page),
                "addProduct": CatalogForms.product(list.groups).value(page),
            ]
        )
    }
}

/// A catalog in display order: group by group, highest level first, then one-time purchases.
struct CatalogList: Sendable {
    /// A product with its ID, subscription group and level.
    struct Entry: Sendable {
        let id: String
        /// The ID of the subscription group; nil for a one-time purchase.
        let group: String?
        let level: Int64
        let product: JSONTree
    }

    let groups: [(id: String, name: String, tree: JSONTree)]
    let products: [Entry]

    static let maxShown = 50

    init(_ catalog: JSONTree) {
        groups = (catalog["groups"]?.elements ?? []).map { ($0["groupId"]?.text ?? "", $0["name"]?.text ?? "", $0) }
        products = (catalog["products"]?.elements ?? []).map { product in
            let plan = product["subscription"]
            return Entry(
                id: product["productId"]?.text ?? "",
                group: plan?["groupId"]?.text,
                level: plan?["level"]?.number ?? 0,
                product: product
            )
        }.sorted { left, right in
            switch (left.group, right.group) {
            case (let one?, let other?) where one != other: one < other
            case (nil, _?): false
            case (_?, nil): true
            default: (left.level, left.id) < (right.level, right.id)
            }
        }
    }

    /// A page of products, and the cursor of the next page.
    func page(after: String?) -> (shown: ArraySlice<Entry>, next: String?) {
        let start = after.flatMap { id in products.firstIndex { $0.id == id } }.map { $0 + 1 } ?? 0
        let shown = products[start...].prefix(Self.maxShown)
        return (shown, shown.endIndex < products.endIndex ? shown.last?.id : nil)
    }

    /// The sections of the page: one for each subscription group, and one for one-time purchases.
    func sections(of shown: ArraySlice<Entry>, _ page: PageRequest) -> [PageValue] {
        var sections: [(group: String?, rows: [PageValue])] = []
        for entry in shown {
            if sections.last?.group != entry.group || sections.isEmpty { sections.append((entry.group, [])) }
            sections[sections.count - 1].rows.append(row(entry, page))
        }
        return sections.enumerated().map { index, section in
            let group = groups.first { $0.id == section.group }
            return [
                "id": .text("section-\(index)"), "name": PageValue(section.group.map { group?.name ?? $0 }),
                "groupId": PageValue(section.group), "isGroup": .flag(section.group != nil),
                "texts": Self.texts(group?.tree), "rows": .list(section.rows),
            ]
        }
    }

    private func row(_ entry: Entry, _ page: PageRequest) -> PageValue {
        let product = entry.product
        let path = "/console/apps/{bundleId}/{environment}/catalog/{productId}"
        let storefronts = CatalogWords.storefronts(product)
        return [
            "id": .text(entry.id), "link": PageValue(page.link(path, ["productId": entry.id])),
            "name": PageValue(product["referenceName"]?.text), "type": .text(CatalogWords.type(product)),
            "level": PageValue(entry.group == nil ? nil : String(entry.level)),
            "price": PageValue(CatalogWords.price(product)),
            "billingInterval": PageValue(CatalogWords.billingInterval(product["subscription"]?["period"]?.text)),
            "storefronts": .list(Array(storefronts.prefix(4))),
            "moreStorefronts": Self.more(storefronts.count, than: 4, "storefront"),
            "texts": Self.texts(product), "isForSale": PageValue(product["forSale"]),
            "isShareable": PageValue(product["familyShareable"]),
            "offers": .list(
                (product["offers"]?.elements ?? []).prefix(6).map {
                    ["kind": .text(CatalogWords.kind($0)), "terms": .text(CatalogWords.terms($0))]
                }
            ),
            "moreOffers": Self.more(product["offers"]?.elements.count ?? 0, than: 6, "offer"),
        ]
    }

    /// `2 more offers`; nothing if all are shown.
    private static func more(_ count: Int, than limit: Int, _ noun: String) -> PageValue {
        let rest = count - limit
        return rest > 0 ? .text("\(rest) more \(noun)\(rest == 1 ? "" : "s")") : .nothing
    }

    /// Localized names and descriptions.
    static func texts(_ tree: JSONTree?) -> PageValue {
        .list(
            (tree?["localizations"]?.elements ?? []).prefix(50).map { text in
                [
                    "locale": PageValue(text["locale"]?.text), "name": PageValue(text["displayName"]?.text),
                    "language": PageValue(text["locale"]?.text?.replacing("_", with: "-")),
                    "description": PageValue(text["description"]?.text),
                ]
            }
        )
    }

    /// Groups without products.
    var emptyGroups: [PageValue] {
        let used = Set(products.compactMap(\.group))
        return groups.filter { !used.contains($0.id) }.prefix(Self.maxShown).map {
            ["id": .text($0.id), "name": .text($0.name), "texts": Self.texts($0.tree)]
        }
    }

    static func settings(_ catalog: JSONTree) -> PageValue {
        let settings = catalog["settings"]
        return [
            "storefront": PageValue(settings?["storefront"]?.text), "locale": PageValue(settings?["locale"]?.text),
        ]
    }
}

/// Forms that add groups and products.
enum CatalogForms {
    static let group = ActionForm(
        "putGroup",
        "Add or rename group",
        [.init("groupId", "Group ID", hint: "plans"), .init("name", "Reference name")]
    )

    static func product(_ groups: [(id: String, name: String, tree: JSONTree)]) -> ActionForm {
        let types: [(value: String, name: String)] = [
            ("AUTO_RENEWABLE", "Subscription"), ("NON_CONSUMABLE", "Non-consumable"), ("CONSUMABLE", "Consumable"),
            ("NON_RENEWABLE", "Non-renewing subscription"),
        ]
        let periods: [(value: String, name: String)] = [
            ("", "–"), ("P1W", "1 week"), ("P1M", "1 month"), ("P2M", "2 months"), ("P3M", "3 months"),
            ("P6M", "6 months"), ("P1Y", "1 year"),
        ]
        let known = (1...200).contains(groups.count)
        let choices = [(value: "", name: "–")] + groups.map { (value: $0.id, name: $0.name) }
        return ActionForm(
            "putProduct",
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
