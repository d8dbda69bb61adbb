extension Catalog {
    /// The catalog after an import into a server that is in use.
    ///
    /// New definitions replace old definitions with the same identifier, and the new settings replace the old ones. A
    /// product that is missing in the new catalog is removed from sale, but it stays in the catalog, as do all groups,
    /// because past transactions refer to them. A second import of the same catalog changes nothing.
    package func updated(by imported: Catalog) -> Catalog {
        var result = imported
        for (id, product) in products where result.products[id] == nil {
            var kept = product
            kept.isForSale = false
            result.products[id] = kept
        }
        for (id, group) in groups where result.groups[id] == nil {
            result.groups[id] = group
        }
        return result
    }

    /// Adds or replaces a product. If its group is new, creates the group with its identifier as its name.
    package mutating func put(_ product: Product) {
        products[product.id] = product
        if let groupID = product.plan?.groupID, groups[groupID] == nil {
            groups[groupID] = SubscriptionGroup(id: groupID, name: groupID)
        }
    }
}
