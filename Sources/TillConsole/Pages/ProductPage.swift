import TillControl
import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    static let productPath = CatalogTable.path + "/{productId}"

    /// One product: its prices, offers and localizations, and the forms to change them.
    static let product = ConsolePage(
        path: productPath,
        template: Template("product", PackageResources.product_mustache)
    ) { page in
        let app = try page.app
        let id = page.parameters["productId"] ?? ""
        let catalog = try await page.send(GetCatalog(bundleId: app.bundleId))
        guard let product = catalog.products.first(where: { $0.productId == id }) else {
            throw ControlError.missing("No product \"\(id.prefix(64))\".")
        }
        let parts = ProductParts(app: app, product: product, groups: catalog.groups ?? [])
        let storefronts = CatalogWords.storefronts(product.prices)
        return PageContent(
            product.referenceName ?? id,
            [
                "about": parts.about, "plans": .list(parts.plans), "offers": .list(parts.offers),
                "storefronts": .list(storefronts), "hasStorefronts": .flag(!storefronts.isEmpty),
                "texts": CatalogTable.texts(product.localizations),
                "forms": .list(parts.forms.map { $0.value(page) }), "replace": parts.replace?.value(page) ?? .nothing,
                "all": PageValue(page.link(CatalogTable.path)),
            ]
        )
    }
}

/// The parts of a product's page.
private struct ProductParts {
    let app: AppEnvironment
    let product: ProductInfo
    let groups: [GroupInfo]

    var about: PageValue {
        let plan = product.subscription
        let group = groups.first { $0.groupId == plan?.groupId }
        return [
            "id": .text(product.productId), "type": .text(CatalogWords.type(product.type)),
            "price": PageValue(CatalogWords.price(product.price, product.currency)),
            "billingInterval": PageValue(CatalogWords.billingInterval(plan?.period)),
            "group": PageValue(group?.name), "level": PageValue(plan.map { String($0.level) }),
            "isForSale": .flag(product.forSale != false), "isShareable": .flag(product.familyShareable == true),
        ]
    }

    /// The billing plans of a subscription.
    var plans: [PageValue] {
        (product.subscription?.billingPlans ?? []).map { plan in
            [
                "kind": .text(Words.sentence(plan.kind.rawValue)),
                "price": PageValue(CatalogWords.price(plan.price, plan.currency)),
                "isOffered": .flag(plan.enabled != false),
                "commitment": PageValue(plan.commitment.flatMap { CatalogWords.price($0.price, $0.currency) }),
            ]
        }
    }

    var offers: [PageValue] {
        (product.offers ?? []).prefix(100).map { offer in
            [
                "kind": .text(CatalogWords.kind(offer.kind)), "id": PageValue(offer.id),
                "name": PageValue(offer.referenceName == offer.id ? nil : offer.referenceName),
                "terms": .text(CatalogWords.terms(offer)),
                "conditions": PageValue(CatalogWords.conditions(offer)),
                "storefronts": .list(Array(CatalogWords.storefronts(offer.prices).prefix(50))),
            ]
        }
    }

    var forms: [ActionForm] {
        let id = product.productId
        let isForSale = product.forSale != false
        let setForSale = SetForSale(bundleId: app.bundleId, productId: id, forSale: !isForSale)
        var forms = [ActionForm(setForSale, isForSale ? "Remove from sale" : "Make available for sale")]
        if product.type == .autoRenewable {
            forms.append(
                ActionForm(
                    RaisePrice(app: app, productId: id, price: 0),
                    "Raise price",
                    [
                        .init("price", "New price", .money, hint: "5.99"), .init("currency", "Currency", hint: "USD"),
                        .init("storefront", "Storefront (empty: all)", hint: "DEU"),
                        .init("consent", "Subscriber consent"),
                    ]
                )
            )
        }
        if product.familyShareable != true, product.type == .autoRenewable || product.type == .nonConsumable {
            forms.append(ActionForm(ShareProduct(app: app, productId: id), "Turn on Family Sharing"))
        }
        return forms
    }

    /// The form for all other changes: the whole product as JSON.
    var replace: ActionForm? {
        guard let tree = try? JSONTree(encoding: product) else { return nil }
        let json = String(decoding: tree.written(), as: UTF8.self)
        return ActionForm(
            PutProduct(bundleId: app.bundleId),
            "Save product",
            [.init("_document", "Product as JSON", .lines, value: json, help: "docs/catalog.md describes the format.")]
        )
    }
}
