import TillCore
import TillJSON

/// The catalog in a document, before it is merged into the app's present catalog.
package struct CatalogImport: Equatable, Sendable {
    /// The content of the document alone; ``merged(into:)`` combines it with the present catalog.
    package var catalog: Catalog
    /// The JSON path of each product in the document, by product identifier. Faults that are found later contain the
    /// path.
    package var paths: [String: String] = [:]
    /// The key for promotional offers, if the document has one.
    package var offerKey: OfferKeyPair?
    /// The version of a `.storekit` file, such as `5.0`; nil for a file without a version, and for Till's own JSON
    /// form.
    package var version: String?

    /// The present catalog after this import (``TillCore/Catalog/updated(by:)``).
    ///
    /// A product keeps its type and its group forever, as on the App Store, because its transactions contain the type
    /// and the group. Everything else may change.
    package func merged(into current: Catalog) throws(CatalogRefused) -> Catalog {
        let faults = catalog.products.values.flatMap { product in
            let path = paths[product.id] ?? JSONTree.path("$.products", product.id)
            return CatalogImport.conflicts(of: product, with: current.products[product.id], at: path)
        }
        if !faults.isEmpty {
            throw CatalogRefused(faults: faults.sorted { ($0.path, $0.expected) < ($1.path, $1.expected) })
        }
        return current.updated(by: catalog)
    }

    /// The conflicts of a product with the sold product that it would replace.
    ///
    /// - Parameter path: the location of the new product in its document.
    static func conflicts(of product: Product, with sold: Product?, at path: String) -> [JSONFault] {
        guard let sold else { return [] }
        if product.type != sold.type {
            let expected = "\(sold.type.wireName), as \(product.id) was sold"
            return [JSONFault(path: "\(path).type", expected: expected, found: product.type.wireName)]
        }
        if let old = sold.plan?.groupID, let new = product.plan?.groupID, old != new {
            let expected = "the subscription group \(old), in which \(product.id) was sold"
            return [JSONFault(path: path, expected: expected, found: "the subscription group \(new)")]
        }
        return []
    }
}
