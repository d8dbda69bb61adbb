extension Catalog {
    /// What is for sale after a new catalogue arrives over a living shop.
    ///
    /// New definitions replace old ones of the same identifier. A product that the new catalogue no longer has is
    /// taken off sale but stays, and so do all groups, because what was sold refers to them. Settings become the new
    /// ones. Doing it twice is doing it once.
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

    /// Adds a product or replaces the one of its identifier; a group that it is the first to name comes into being,
    /// called by its identifier.
    package mutating func put(_ product: Product) {
        products[product.id] = product
        if let groupID = product.plan?.groupID, groups[groupID] == nil {
            groups[groupID] = SubscriptionGroup(id: groupID, name: groupID)
        }
    }
}
