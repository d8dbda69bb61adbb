/// Family membership and family sharing (docs/api/families.md). All members of a family use the same clock.
extension Ledger {
    /// Adds the customer to the family of another account, which becomes the organizer of a new family.
    ///
    /// - Parameter linksCopies: Whether to link imported external copies to the purchases of the family first, so that
    ///   the members get no second copies.
    mutating func join(
        _ id: AccountID,
        familyOf host: AccountID,
        named name: String,
        linksCopies: Bool
    ) throws(Refusal) {
        guard accounts[host] != nil else { throw .unknownAccount(String(host.number)) }
        if let family = self[id].family { throw .alreadyInFamily(customer: self[id].customer, family: family.name) }
        guard self[id].clock == self[host].clock else {
            throw .familyOnAnotherClock(customer: self[id].customer, clock: self[host].clock)
        }
        var family = self[host].family ?? FamilyMembership(name: name, organizer: host, members: [host])
        if id != host {
            guard family.members.count < FamilyMembership.maxMembers else { throw .familyFull(family: family.name) }
            family.members.append(id)
        }
        for member in family.members { self[member].family = family }
        touch(id)
        guard id != host else { return }
        note(.joinedFamily(id))
        if linksCopies { try linkCopies(of: id, and: family.members.filter { $0 != id }) }
        for member in family.members where member != id { share(productsOf: member, with: id) }
        for member in family.members where member != id { share(productsOf: id, with: member) }
    }

    /// Removes the customer from the family. If the organizer leaves, or only one member remains, the family ends.
    mutating func leaveFamily(_ id: AccountID) throws(Refusal) {
        guard let family = self[id].family else { throw .notInFamily(customer: self[id].customer) }
        let ends = family.organizer == id || family.members.count <= 2
        let leaving = ends ? family.members : [id]
        for member in family.members {
            for other in family.members where other != member && (leaving.contains(member) || leaving.contains(other)) {
                endAccess(of: member, to: other)
            }
        }
        let remaining = FamilyMembership(
            name: family.name,
            organizer: family.organizer,
            members: family.members.filter { !leaving.contains($0) }
        )
        for member in family.members { self[member].family = leaving.contains(member) ? nil : remaining }
        for member in leaving {
            touch(member)
            note(.leftFamily(member))
        }
    }

    /// Turns family sharing on or off for one purchase, as the purchaser chose.
    mutating func setSharing(of original: TransactionID, to shares: Bool) throws(Refusal) {
        let transaction = try transaction(original)
        guard transaction.ownership == .purchased else { throw .familyShared(original) }
        guard transaction.isOriginal else { throw .notOriginal(original, original: transaction.originalID) }
        if let subscription = self[transaction.account].subscription(original) {
            return try setSharing(ofSubscription: subscription, to: shares, by: transaction.account)
        }
        guard let place = self[transaction.account].ownedProducts.firstIndex(where: { $0.transaction == original }),
            let product = catalog.products[transaction.productID], product.isFamilyShareable
        else { throw .notShareable(product: transaction.productID) }
        self[transaction.account].ownedProducts[place].isShared = shares
        touch(transaction.account)
        if shares { shareProduct(transaction, product) } else { endSharingOfProduct(transaction, reason: .other) }
    }

    private mutating func setSharing(
        ofSubscription subscription: Subscription,
        to shares: Bool,
        by owner: AccountID
    ) throws(Refusal) {
        guard isShareable(subscription) else {
            throw .notShareable(product: subscription.latestTransaction.productID)
        }
        try apply(.sharing, to: subscription.originalID, of: owner) { $0.isShared = shares }
        guard let changed = self[owner].subscription(subscription.originalID) else { return }
        if shares { shareWithFamily(changed, of: owner) } else { endAccess(to: changed, by: owner) }
    }
}
