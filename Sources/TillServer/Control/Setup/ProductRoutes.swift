import TillControl
import TillCore
import TillShop

/// The operation that removes a product from sale, or restores it.
extension ControlAPI {
    var productRoutes: [ControlRoute] {
        [
            ControlRoute(SetForSale.self) { call in
                let app = try call.app()
                let id = call.productId
                let isForSale = call.forSale
                let catalog = try await shop.updateCatalog(of: app.bundleID) { catalog in
                    guard catalog.products[id] != nil else { throw Refusal.unknownProduct(id) }
                    var catalog = catalog
                    catalog.products[id]?.isForSale = isForSale
                    return catalog
                }
                guard let product = catalog.products[id] else { throw Refusal.unknownProduct(id) }
                return try ProductInfo(product)
            }
        ]
    }
}
