import TillServer
import TillShop

extension ConsolePage {
    /// One product: its prices, offers and texts, and what changes them.
    static let product = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/catalog/{productId}",
        template: Template("product", PackageResources.product_mustache)
    ) { page in
        let id = page.parameters["productId"] ?? ""
        let catalog = try await page.ask("getCatalog")
        let products = catalog["products"]?.elements ?? []
        guard let product = products.first(where: { $0["productId"]?.text == id }) else {
            throw ControlError.missing("There is no product \(id.prefix(64)).")
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
            "pace": PageValue(CatalogWords.pace(plan?["period"]?.text)),
            "group": PageValue(group?["name"]?.text), "level": PageValue(plan?["level"]?.text),
            "isForSale": PageValue(product["forSale"]), "isShareable": PageValue(product["familyShareable"]),
        ]
    }

    /// How a long period can be paid.
    var plans: [PageValue] {
        (product["subscription"]?["billingPlans"]?.elements ?? []).map { plan in
            [
                "kind": .text(plan["kind"]?.text == "MONTHLY" ? "Paid monthly" : "Paid up front"),
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

    var forms: [ActForm] {
        let isForSale = product["forSale"]?.isTrue == true
        var forms = [
            ActForm(
                "setForSale",
                isForSale ? "Remove from sale" : "Put on sale",
                [.init("forSale", "", .hidden, value: isForSale ? "false" : "true")]
            )
        ]
        let type = product["type"]?.text
        if type == "AUTO_RENEWABLE" {
            forms.append(
                ActForm(
                    "raisePrice",
                    "Raise the price",
                    [
                        .init("price", "New price", .money, hint: "5.99"), .init("currency", "Currency", hint: "USD"),
                        .init("storefront", "Only in the storefront", hint: "DEU"),
                        .init("consent", "Subscribers must agree"),
                    ]
                )
            )
        }
        if product["familyShareable"]?.isTrue != true, type == "AUTO_RENEWABLE" || type == "NON_CONSUMABLE" {
            forms.append(ActForm("shareProduct", "Share with families"))
        }
        return forms
    }

    /// Everything else is changed as text.
    var replace: ActForm {
        let json = String(decoding: product.written(), as: UTF8.self)
        return ActForm(
            "putProduct",
            "Replace",
            [.init("_document", "The product as JSON", .lines, value: json, help: "As docs/catalogue.md describes it.")]
        )
    }
}
