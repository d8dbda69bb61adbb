import TillCore
import TillJSON

/// Till's JSON form of a catalog, for the control API (docs/catalog.md).
///
/// Amounts are decimal strings, and periods are ISO 8601 durations. A key without a value is omitted, never `null`.
/// Unlike in a `.storekit` file, an unknown key is an error, so that API clients notice a mistyped key.
package enum CatalogDocument {
    /// Reads a catalog: `{"groups": […], "products": […], "settings": {…}}`. Only `products` is required. If only a
    /// product names a group, the group is created with its identifier as its name.
    package static func catalog(from bytes: [UInt8]) throws(CatalogRefused) -> CatalogImport {
        let tree = try CatalogRefused.tree(of: bytes)
        var document = CatalogDocumentReader(settings: CatalogSettings())
        let outcome = document.catalog((tree, "$"))
        try document.reader.finish()
        return outcome
    }

    /// Reads a single product; ``adding(product:to:)`` also checks it against a catalog.
    ///
    /// - Parameter settings: the catalog's settings. Their storefront determines the currency of a price that has none.
    package static func product(
        from bytes: [UInt8],
        settings: CatalogSettings = CatalogSettings()
    ) throws(CatalogRefused) -> Product {
        let tree = try CatalogRefused.tree(of: bytes)
        var document = CatalogDocumentReader(settings: settings)
        let product = document.product((tree, "$"))
        try document.reader.finish()
        guard let product else { preconditionFailure("a product was unreadable and nothing was wrong with it") }
        return product
    }

    /// Reads a group: `{"groupId", "name", "localizations"}`. The name defaults to the identifier.
    package static func group(from bytes: [UInt8]) throws(CatalogRefused) -> SubscriptionGroup {
        let tree = try CatalogRefused.tree(of: bytes)
        var document = CatalogDocumentReader(settings: CatalogSettings())
        let group = document.group((tree, "$"))
        try document.reader.finish()
        guard let group else { preconditionFailure("a group was unreadable and nothing was wrong with it") }
        return group
    }

    /// Reads a product and adds it to a catalog. Throws all faults and conflicts.
    package static func adding(
        product bytes: [UInt8],
        to current: Catalog
    ) throws(CatalogRefused) -> (catalog: Catalog, product: Product) {
        let product = try product(from: bytes, settings: current.settings)
        let faults = CatalogImport.conflicts(of: product, with: current.products[product.id], at: "$")
        if !faults.isEmpty { throw CatalogRefused(faults: faults) }
        var catalog = current
        catalog.put(product)
        return (catalog, product)
    }

    /// Why the form of a product is not valid in a catalog document, without a full stop; nil for a valid product.
    static func reasonAgainst(_ product: Product, settings: CatalogSettings) -> String? {
        var document = CatalogDocumentReader(settings: settings)
        _ = document.product((tree(of: product), "$"))
        return document.reader.faults.first.map { fault in
            let key = fault.path.hasPrefix("$.") ? String(fault.path.dropFirst(2)) : fault.path
            return "\(key) is \(fault.found), expected \(fault.expected)"
        }
    }

    /// Whether a text is three capital letters.
    static func isCurrency(_ code: String) -> Bool {
        code.utf8.count == 3 && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
    }

    /// Refuses a catalog that has more products or groups than a document may have.
    static func checkSize(of catalog: Catalog) throws(CatalogRefused) {
        for (key, count, limit) in [
            ("products", catalog.products.count, CatalogLimits.products),
            ("groups", catalog.groups.count, CatalogLimits.groups),
        ] where count > limit {
            throw CatalogRefused(path: "$.\(key)", expected: "at most \(limit) elements", found: "\(count)")
        }
    }
}
