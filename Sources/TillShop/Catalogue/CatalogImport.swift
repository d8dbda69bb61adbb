import TillCore

/// What a document says is for sale, checked by itself but not yet against a shop.
package struct CatalogImport: Equatable, Sendable {
    /// Only what the document says; `merged` puts it over what the shop sells.
    package var catalog: Catalog
    /// Where each product stands in the document, by its identifier, so that a later fault can name the place.
    package var paths: [String: String]
    /// The key for promotional offers, if the document has one.
    package var offerKey: OfferKeyPair?
    /// `5.0` and the like; nil for a document that does not say, and for Till's own.
    package var version: String?

    /// The outcome of reading a document.
    package init(
        catalog: Catalog,
        paths: [String: String] = [:],
        offerKey: OfferKeyPair? = nil,
        version: String? = nil
    ) {
        self.catalog = catalog
        self.paths = paths
        self.offerKey = offerKey
        self.version = version
    }

    /// The catalogue after this import over a living shop (``TillCore/Catalog/updated(by:)``).
    ///
    /// A product that somebody bought keeps its type and its group for ever, as on the App Store: its transactions
    /// say both. Everything else may change.
    ///
    /// - Parameters:
    ///   - current: what the shop sells now.
    ///   - isSold: whether anybody bought a product; a shop that cannot tell answers true.
    package func merged(
        into current: Catalog,
        isSold: (_ productID: String) -> Bool = { _ in true }
    ) throws(CatalogRefused) -> Catalog {
        let faults = catalog.products.values.filter { isSold($0.id) }.flatMap { product in
            let path = paths[product.id] ?? JSONTree.path("$.products", product.id)
            return CatalogImport.conflicts(of: product, with: current.products[product.id], at: path)
        }
        if !faults.isEmpty {
            throw CatalogRefused(faults: faults.sorted { ($0.path, $0.expected) < ($1.path, $1.expected) })
        }
        return current.updated(by: catalog)
    }

    /// What keeps a product from taking the place of one that was sold.
    ///
    /// - Parameter path: where the new product stands in its document.
    static func conflicts(of product: Product, with sold: Product?, at path: String) -> [CatalogFault] {
        guard let sold else { return [] }
        if product.type != sold.type {
            let expected = "\(sold.type.wireName), as \(product.id) was sold"
            return [CatalogFault(path: "\(path).type", expected: expected, found: product.type.wireName)]
        }
        if let old = sold.plan?.groupID, let new = product.plan?.groupID, old != new {
            let expected = "the subscription group \(old), in which \(product.id) was sold"
            return [CatalogFault(path: path, expected: expected, found: "the subscription group \(new)")]
        }
        return []
    }
}
