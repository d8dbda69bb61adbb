import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// One product: its prices, offers and localizations, and the forms to change them.
    static let product = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/catalog/{productId}",
        template: Template("product", PackageResources.product_mustache)
    ) { page in
        let id = page.parameters["productId"] ?? ""
        let catalog = try await page.ask("getCatalog")
        let products = catalog["products"]?.elements ?? []
        guard let product = products.first(where: { $0["productId"]?.text == id }) else {
            throw ControlError.missing("No product \"\(id.prefix(64))\".")
        }
        let parts = ProductParts(page: page, product: product, groups: catalog["groups"]?.elements ?? [])
        return PageContent(
            product["referenceName"]?.text ?? id,
            [
                "about": parts.about, "plans": .list(parts.plans), "offers": .list(parts.offers),
                "storefronts": .list(CatalogWords.storefronts(product)),
                "hasStorefronts": .flag(!CatalogWords.storefronts(product).isEmpty),
                "texts": CatalogList.texts(product),
                "forms": .list(parts.forms.map { $0.value(page) }), "replace": parts.replace.value(page),
                "all": PageValue(page.link("/console/apps/{bundleId}/{environment}/catalog")),
            ]
        )
    }
}

/// The parts of a product's page.
private struct ProductParts {
    let page: PageRequest
    let product: JSONTree
    let groups: [JSONTree]

    var about: PageValue {
        let plan = product["subscription"]
        let group = groups.first { $0["groupId"]?.text == plan?["groupId"]?.text }
        return [
            "id": PageValue(product["productId"]?.text), "type": .text(CatalogWords.type(product)),
            "price": PageValue(CatalogWords.price(product)),
            "billingInterval": PageValue(CatalogWords.billingInterval(plan?["period"]?.text)),
            "group": PageValue(group?["name"]?.text), "level": PageValue(plan?["level"]?.text),
            "isForSale": PageValue(product["forSale"]), "isShareable": PageValue(product["familyShareable"]),
        ]
    }

    /// The billing plans of a subscription.
    var plans: [PageValue] {
        (product["subscription"]?["billingPlans"]?.elements ?? []).map { plan in
            [
                "kind": .text(Words.sentence(plan["kind"]?.text ?? "")),
                "price": PageValue(CatalogWords.price(plan)), "isOffered": PageValue(plan["enabled"]),
                "commitment": PageValue(plan["commitment"].flatMap(CatalogWords.price)),
            ]
        }
    }

    var offers: [PageValue] {
        (product["offers"]?.elements ?? []).prefix(100).map { offer in
            [
                "kind": .text(CatalogWords.kind(offer)), "id": PageValue(offer["id"]?.text),
                "name": PageValue(offer["referenceName"]?.text.flatMap { $0 == offer["id"]?.text ? nil : $0 }),
                "terms": .text(CatalogWords.terms(offer)),
                "conditions": PageValue(CatalogWords.conditions(offer)),
                "storefronts": .list(Array(CatalogWords.storefronts(offer).prefix(50))),
            ]
        }
    }

    var forms: [ActionForm] {
        let isForSale = product["forSale"]?.isTrue == true
        var forms = [
            ActionForm(
                "setForSale",
                isForSale ? "Remove from sale" : "Make available for sale",
                [.init("forSale", "", .hidden, value: isForSale ? "false" : "true")]
            )
        ]
        let type = product["type"]?.text
        if type == "AUTO_RENEWABLE" {
            forms.append(
                ActionForm(
                    "raisePrice",
                    "Raise price",
                    [
                        .init("price", "New price", .money, hint: "5.99"), .init("currency", "Currency", hint: "USD"),
                        .init("storefront", "Storefront (empty: all)", hint: "DEU"),
                        .init("consent", "Subscriber consent"),
                    ]
                )
            )
        }
        if product["familyShareable"]?.isTrue != true, type == "AUTO_RENEWABLE" || type == "NON_CONSUMABLE" {
            forms.append(ActionForm("shareProduct", "Turn on Family Sharing"))
        }
        return forms
    }

    /// The form for all other changes: the whole product as JSON.
    var replace: ActionForm {
        let json = String(decoding: product.written(), as: UTF8.self)
        return ActionForm(
            "putProduct",
            "Save product",
            [.init("_document", "Product as JSON", .lines, value: json, help: "docs/catalog.md describes the format.")]
        )
    }
}
