import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop

/// The operation that removes a product from sale, or restores it.
extension ControlAPI {
    var productRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/products/{productId}/sale",
                id: "setForSale",
                tag: "products",
                summary:
                    "Removes a product from sale, so that its subscriptions do not renew, or restores it.",
                request: .object(
                    "Whether the product is for sale.",
                    [
                        Schema.required(
                            "forSale",
                            .boolean(
                                "True restores the product; false removes it from sale. Applies to both environments."
                            )
                        )
                    ]
                ),
                response: .anyObject("The product, in the format of the catalog.")
            ) { exchange in
                let app = try exchange.app()
                let id = exchange.parameter("productId")
                let isForSale = exchange.body.flag("forSale") ?? true
                let catalog = try await shop.updateCatalog(of: app.bundleID) { catalog in
                    guard catalog.products[id] != nil else { throw Refusal.unknownProduct(id) }
                    var catalog = catalog
                    catalog.products[id]?.isForSale = isForSale
                    return catalog
                }
                guard let product = catalog.products[id] else { throw Refusal.unknownProduct(id) }
                return CatalogDocument.tree(of: product).written()
            }
        ]
    }
}
