extension Catalog {
    /// The catalog after an import into a shop in use.
    ///
    /// New definitions replace old ones with the same identifier. A product that is missing in the new catalog is
    /// removed from sale but kept, and so are all groups, because past sales refer to them. Settings are replaced.
    /// Importing twice has the same effect as importing once.
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

    /// Adds or replaces a product; creates its group if it is new, named by its identifier.
    package mutating func put(_ product: Product) {
        products[product.id] = product
        if let groupID = product.plan?.groupID, groups[groupID] == nil {
            groups[groupID] = SubscriptionGroup(id: groupID, name: groupID)
        }
    }
}
