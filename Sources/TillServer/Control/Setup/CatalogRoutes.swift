import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop

/// Operations on an app's catalog: import of an Xcode file, and changes through the API.
extension ControlAPI {
    var catalogRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/catalog/storekit",
                id: "importStoreKitFile",
                tag: "catalog",
                summary: "Imports an Xcode .storekit file, version 1.0 to 5.0, into the app's catalog.",
                request: .anyObject("The content of the .storekit file."),
                response: .object(
                    "The result of the import.",
                    [
                        Schema.required("products", .integer("The number of products in the file.")),
                        Schema.required("groups", .integer("The number of subscription groups in the file.")),
                        Schema.required("offers", .integer("The number of offers in the file.")),
                        Schema.required(
                            "removedFromSale",
                            .integer("The number of products that were removed from sale because the file lacks them.")
                        ),
                        Schema.optional("version", .string("The version of the file format.")),
                        Schema.optional(
                            "offerKeyId",
                            .string("The id of the key in the file, which now signs offers.")
                        ),
                    ]
                )
            ) { exchange in
                let app = try exchange.app()
                return Self.json(try await shop.importStoreKit(exchange.bytes, for: app))
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/catalog",
                id: "getCatalog",
                tag: "catalog",
                summary: "Shows the app's catalog.",
                response: .anyObject("The catalog: groups, products, settings.")
            ) { exchange in
                CatalogDocument.tree(of: shop.registry.catalog(of: try exchange.app().bundleID)).written()
            },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/catalog",
                id: "putCatalog",
                tag: "catalog",
                summary: "Replaces the app's catalog. Products that the new catalog lacks are removed from sale.",
                request: .anyObject("The new catalog, in the format that GET returns."),
                response: .anyObject("The catalog.")
            ) { exchange in
                let app = try exchange.app()
                let imported = try CatalogDocument.catalog(from: exchange.bytes)
                let merged = try await shop.updateCatalog(of: app.bundleID) { try imported.merged(into: $0) }
                return CatalogDocument.tree(of: merged).written()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/products",
                id: "putProduct",
                tag: "catalog",
                summary: "Adds a product or replaces it.",
                request: .anyObject("The product, in the format of the catalog."),
                response: .anyObject("The product.")
            ) { exchange in
                let app = try exchange.app()
                let merged = try await shop.updateCatalog(of: app.bundleID) { catalog in
                    try CatalogDocument.adding(product: exchange.bytes, to: catalog).catalog
                }
                let product = try CatalogDocument.product(from: exchange.bytes, settings: merged.settings)
                return CatalogDocument.tree(of: merged.products[product.id] ?? product).written()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/groups",
                id: "putGroup",
                tag: "catalog",
                summary: "Adds a subscription group or renames it.",
                request: .anyObject("The group, in the format of the catalog."),
                response: .anyObject("The group.")
            ) { exchange in
                let app = try exchange.app()
                let group = try CatalogDocument.group(from: exchange.bytes)
                _ = try await shop.updateCatalog(of: app.bundleID) { catalog in
                    var catalog = catalog
                    catalog.groups[group.id] = group
                    return catalog
                }
                return CatalogDocument.tree(of: group).written()
            },
        ]
    }

    private static func json(_ summary: ImportSummary) -> [UInt8] {
        var json = JSONWriter()
        json.put("products", summary.products)
        json.put("groups", summary.groups)
        json.put("offers", summary.offers)
        json.put("removedFromSale", summary.removedFromSale)
        json.put("version", summary.version)
        json.put("offerKeyId", summary.offerKeyID)
        return json.finish()
    }
}
