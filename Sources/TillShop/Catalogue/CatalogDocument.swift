import TillCore

/// Till's own JSON for what is for sale, as the control API takes and gives it (docs/catalogue.md).
///
/// Amounts are decimal strings, periods ISO 8601, absent keys are left out and never `null`. Unlike in a `.storekit`
/// file an unknown key is a fault: whoever calls an API wants to hear of a slip.
package enum CatalogDocument {
    /// Reads a whole catalogue: `{"groups": […], "products": […], "settings": {…}}`. Only `products` is required; a
    /// group that a product is the first to name comes into being, called by its identifier.
    package static func catalog(from bytes: [UInt8]) throws(CatalogRefused) -> CatalogImport {
        let tree = try JSONTree.parse(bytes)
        var document = CatalogDocumentReader(settings: CatalogSettings())
        let outcome = document.catalog((tree, "$"))
        try document.reader.finish()
        return outcome
    }

    /// Reads one product by itself; ``adding(product:to:isSold:)`` also checks it against a catalogue.
    ///
    /// - Parameter settings: the catalogue's, whose storefront says the currency of a price that names none.
    package static func product(
        from bytes: [UInt8],
        settings: CatalogSettings = CatalogSettings()
    ) throws(CatalogRefused) -> Product {
        let tree = try JSONTree.parse(bytes)
        var document = CatalogDocumentReader(settings: settings)
        let product = document.product((tree, "$"))
        try document.reader.finish()
        guard let product else { preconditionFailure("a product was unreadable and nothing was wrong with it") }
        return product
    }

    /// Reads one group: `{"groupId", "name", "localizations"}`; the name is the identifier if it is left out.
    package static func group(from bytes: [UInt8]) throws(CatalogRefused) -> SubscriptionGroup {
        let tree = try JSONTree.parse(bytes)
        var document = CatalogDocumentReader(settings: CatalogSettings())
        let group = document.group((tree, "$"))
        try document.reader.finish()
        guard let group else { preconditionFailure("a group was unreadable and nothing was wrong with it") }
        return group
    }

    /// The catalogue after one product arrives by a call, or everything that stands in the way.
    ///
    /// - Parameter isSold: whether anybody bought the product; one that was sold keeps its type and its group.
    package static func adding(
        product bytes: [UInt8],
        to current: Catalog,
        isSold: (_ productID: String) -> Bool = { _ in true }
    ) throws(CatalogRefused) -> (catalog: Catalog, product: Product) {
        let product = try product(from: bytes, settings: current.settings)
        var faults: [CatalogFault] = []
        if isSold(product.id) {
            faults = CatalogImport.conflicts(of: product, with: current.products[product.id], at: "$")
        }
        if !faults.isEmpty { throw CatalogRefused(faults: faults) }
        var catalog = current
        catalog.put(product)
        return (catalog, product)
    }
}
