import HTTPTypes
import TillCore
import TillJSON
import TillShop

/// The catalog of an app, imported from an Xcode file or edited through the API.
extension ControlAPI {
    var catalogRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/catalog/storekit",
                id: "importStoreKitFile",
                tag: "catalog",
                summary: "Imports an Xcode .storekit file, version 1.0 to 5.0, into the app's catalog.",
                request: .anyObject("The file."),
                response: .object(
                    "The result of the import.",
                    [
                        Schema.required("products", .integer("Products in the file.")),
                        Schema.required("groups", .integer("Subscription groups in the file.")),
                        Schema.required("offers", .integer("Offers in the file.")),
                        Schema.required(
                            "removedFromSale",
                            .integer("Products missing from the file, now removed from sale.")
                        ),
                        Schema.optional("version", .string("The file's version.")),
                        Schema.optional("offerKeyId", .string("The key from the file, which now signs offers.")),
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
                summary: "Replaces the app's catalog; products missing from the new catalog are removed from sale.",
                request: .anyObject("A catalog, in the format of GET."),
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
                request: .anyObject("A product, as in the catalog."),
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
                request: .anyObject("A group, as in the catalog."),
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
