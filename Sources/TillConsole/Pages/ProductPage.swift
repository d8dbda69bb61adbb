import TillControl
import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// One product: its prices, offers and localizations, and the forms to change them.
    static let product = ConsolePage(
        "\(scope)/catalog/{productId}",
        "product",
        documentation: [.catalog, .offers]
    ) { page in
        let app = try page.app
        let id = page.parameters["productId"] ?? ""
        let catalog = try await page.send(GetCatalog(bundleId: app.bundleId))
        guard let product = catalog.products.first(where: { $0.productId == id }) else {
            throw ControlError.missing("No product \"\(id.prefix(64))\".")
        }
        let storefronts = CatalogWords.storefronts(product.prices)
        let group = catalog.groups?.first { $0.groupId == product.subscription?.groupId }
        // The form for all other changes has the whole product as JSON.
        let json = try JSONTree(encoding: product).indented
        return [
            "title": product.referenceName ?? id,
            "about": CatalogTable.about(product).with(["group": group?.name]), "plans": plans(of: product),
            "offers": offers(of: product), "storefronts": storefronts, "hasStorefronts": !storefronts.isEmpty,
            "texts": CatalogTable.texts(product.localizations), "forms": forms(app, product, page),
            "replace": page.form(
                PutProduct(bundleId: app.bundleId),
                "Save product",
                [
                    .init(
                        "_document",
                        "Product as JSON",
                        .lines,
                        value: json,
                        help: "docs/catalog.md describes the format."
                    )
                ]
            ),
            "all": page.link(.catalog),
        ]
    }

    /// The billing plans of a subscription.
    private static func plans(of product: ProductInfo) -> PageValue {
        (product.subscription?.billingPlans ?? []).listed { plan in
            [
                "kind": Words.sentence(plan.kind.rawValue), "price": CatalogWords.price(plan.price, plan.currency),
                "isOffered": plan.enabled != false,
                "commitment": plan.commitment.flatMap { CatalogWords.price($0.price, $0.currency) },
            ]
        }
    }

    private static func offers(of product: ProductInfo) -> PageValue {
        (product.offers ?? []).prefix(100).listed { offer in
            [
                "kind": CatalogWords.kind(offer.kind), "id": offer.id,
                "name": offer.referenceName == offer.id ? nil : offer.referenceName,
                "terms": CatalogWords.terms(offer), "conditions": CatalogWords.conditions(offer),
                "storefronts": Array(CatalogWords.storefronts(offer.prices).prefix(ListLimit.elements)),
            ]
        }
    }

    private static func forms(_ app: AppEnvironment, _ product: ProductInfo, _ page: PageRequest) -> [PageValue] {
        let id = product.productId
        let isForSale = product.forSale != false
        let setForSale = SetForSale(bundleId: app.bundleId, productId: id, forSale: !isForSale)
        var forms = [page.form(setForSale, isForSale ? "Remove from sale" : "Make available for sale")]
        if product.type == .autoRenewable {
            forms.append(
                page.form(
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
            forms.append(page.form(ShareProduct(app: app, productId: id), "Turn on Family Sharing"))
        }
        return forms
    }
}
