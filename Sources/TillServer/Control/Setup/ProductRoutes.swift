import HTTPTypes
import TillCore
import TillJSON
import TillShop

/// Changes to products that customers may already own.
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
                    "Whether it is for sale.",
                    [Schema.required("forSale", .boolean("False removes it from sale in both environments."))]
                ),
                response: .anyObject("The product, as in the catalog.")
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
