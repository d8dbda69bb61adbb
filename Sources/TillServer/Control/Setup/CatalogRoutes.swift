import TillControl
import TillCore
import TillJSON
import TillShop

/// Operations on an app's catalog: import of an Xcode file, and changes through the API.
extension ControlAPI {
    var catalogRoutes: [ControlRoute] {
        [
            ControlRoute(ImportStoreKitFile.self) { call in
                CatalogImportInfo(try await shop.setup.importStoreKit(call.document, for: try call.app()))
            },
            ControlRoute(GetCatalog.self) { call in
                try CatalogInfo(shop.registry.catalog(of: try call.app().bundleID))
            },
            ControlRoute(PutCatalog.self) { call in
                let app = try call.app()
                let imported = try CatalogDocument.catalog(from: call.document)
                return try CatalogInfo(
                    try await shop.setup.updateCatalog(of: app.bundleID) { try imported.merged(into: $0) }
                )
            },
            ControlRoute(PutProduct.self) { call in
                let app = try call.app()
                let merged = try await shop.setup.updateCatalog(of: app.bundleID) { catalog in
                    try CatalogDocument.adding(product: call.document, to: catalog).catalog
                }
                let product = try CatalogDocument.product(from: call.document, settings: merged.settings)
                return try ProductInfo(merged.products[product.id] ?? product)
            },
            ControlRoute(PutGroup.self) { call in
                let app = try call.app()
                let group = try CatalogDocument.group(from: call.document)
                _ = try await shop.setup.updateCatalog(of: app.bundleID) { catalog in
                    var catalog = catalog
                    catalog.groups[group.id] = group
                    return catalog
                }
                return try GroupInfo(group)
            },
            ControlRoute(SetForSale.self) { call in
                let app = try call.app()
                let id = call.productId
                let isForSale = call.forSale
                let catalog = try await shop.setup.updateCatalog(of: app.bundleID) { catalog in
                    guard catalog.products[id] != nil else { throw Refusal.unknownProduct(id) }
                    var catalog = catalog
                    catalog.products[id]?.isForSale = isForSale
                    return catalog
                }
                guard let product = catalog.products[id] else { throw Refusal.unknownProduct(id) }
                return try ProductInfo(product)
            },
        ]
    }
}

// `CatalogDocument` reads and writes the format of catalogs, so that both stay the same. The answers are its documents.

extension CatalogInfo {
    init(_ catalog: Catalog) throws { self = try CatalogDocument.tree(of: catalog).decode(CatalogInfo.self) }
}

extension ProductInfo {
    init(_ product: Product) throws { self = try CatalogDocument.tree(of: product).decode(ProductInfo.self) }
}

extension GroupInfo {
    init(_ group: SubscriptionGroup) throws { self = try CatalogDocument.tree(of: group).decode(GroupInfo.self) }
}

extension CatalogImportInfo {
    init(_ summary: ImportSummary) {
        self.init(
            products: summary.products,
            groups: summary.groups,
            offers: summary.offers,
            removedFromSale: summary.removedFromSale,
            version: summary.version,
            offerKeyId: summary.offerKeyID
        )
    }
}
