/// Family Sharing: a member's copy of a purchase has ids of its own and no price (docs/api/families.md).
extension Ledger {
    // MARK: Joining and leaving

    mutating func join(_ id: AccountID, familyOf host: AccountID, named name: String) throws(Refusal) {
        if let family = self[id].family { throw .alreadyInFamily(customer: self[id].customer, family: family.name) }
        var family = self[host].family ?? FamilyMembership(name: name, organizer: host, members: [host])
        if id != host {
            guard family.members.count < FamilyMembership.mostMembers else { throw .familyFull(family: family.name) }
            family.members.append(id)
        }
        for member in family.members { self[member].family = family }
        guard id != host else { return }
        note(.joinedFamily(id))
        for member in family.members where member != id { share(holdingsOf: member, with: id) }
        for member in family.members where member != id { share(holdingsOf: id, with: member) }
    }

    /// Leaves the family; when the organizer leaves, or one member is left, the family ends for everybody.
    mutating func leaveFamily(_ id: AccountID) throws(Refusal) {
        guard let family = self[id].family else { throw .notInFamily(customer: self[id].customer) }
        let ends = family.organizer == id || family.members.count <= 2
        let leaving = ends ? family.members : [id]
        for member in family.members {
            for other in family.members where other != member && (leaving.contains(member) || leaving.contains(other)) {
                revokeCopies(heldBy: member, from: other, reason: .other)
            }
        }
        let remaining = FamilyMembership(
            name: family.name,
            organizer: family.organizer,
            members: family.members.filter { !leaving.contains($0) }
        )
        for member in family.members { self[member].family = leaving.contains(member) ? nil : remaining }
        for member in leaving {
            self[member].lastEvent = max(self[member].lastEvent, now)
            note(.leftFamily(member))
        }
    }

    // MARK: What a purchase means to the family

    /// Gives every other member a copy of a purchase, if its product can be shared.
    mutating func shareWithFamily(_ row: Transaction, _ product: Product) {
        guard product.isFamilyShareable, let family = self[row.account].family else { return }
        for member in family.members where member != row.account { share(row, with: member) }
    }

    /// Ends the access that members have by a purchase.
    mutating func endSharing(of row: Transaction, reason: RevocationReason) {
        guard let family = self[row.account].family else { return }
        for member in family.members where member != row.account {
            for copy in copies(of: row, heldBy: member) where copy.revocation == nil {
                revoke(copy, reason: reason)
            }
        }
    }

    /// Gives members back the access that a refund took from them.
    mutating func resumeSharing(of row: Transaction) {
        guard let family = self[row.account].family else { return }
        for member in family.members where member != row.account {
            for copy in copies(of: row, heldBy: member) where copy.revocation != nil {
                amend(copy) { $0.revocation = nil }
                self[member].owned[copy.productID]?.isRevoked = false
                note(.familyAccessRestored(copy.id))
            }
        }
    }

    // MARK: Copies

    private mutating func share(holdingsOf owner: AccountID, with member: AccountID) {
        for productID in self[owner].owned.keys.sorted() {
            guard
                let owned = self[owner].owned[productID], owned.ownership == .purchased,
                catalog.products[productID]?.isFamilyShareable == true
            else { continue }
            shareProduct(productID, owned.transaction, of: owner, with: member)
        }
        for subscription in self[owner].subscriptions
        where subscription.ownership == .purchased && subscription.status(at: now) == .active
            && catalog.products[subscription.current.productID]?.isFamilyShareable == true
        {
            share(subscription.current, with: member)
        }
    }

    private mutating func share(_ row: Transaction, with member: AccountID) {
        if row.groupID == nil {
            shareProduct(row.productID, row.id, of: row.account, with: member)
        } else {
            shareSubscription(row, with: member)
        }
    }

    private mutating func shareProduct(
        _ productID: String,
        _ source: TransactionID,
        of owner: AccountID,
        with member: AccountID
    ) {
        if let owned = self[member].owned[productID], !owned.isRevoked { return }
        let copy = enter(newCopy(of: source, productID, .nonConsumable, for: member))
        self[member].owned[productID] = OwnedProduct(
            transaction: copy.id,
            ownership: .familyShared,
            sharedFrom: owner
        )
        note(.charged(copy.id))
    }

    private mutating func shareSubscription(_ row: Transaction, with member: AccountID) {
        guard let group = row.groupID else { return }
        let held = self[member].subscription(toGroup: group, .familyShared)
        if let held, held.status(at: now) == .active {
            guard held.sharedFrom == row.account else { return }
            amend(held.current) { $0.isUpgraded = true }
        }
        var copy = newCopy(of: row.id, row.productID, .autoRenewable, for: member)
        copy.originalID = held?.originalID ?? copy.id
        copy.originalPurchaseDate = held?.originalPurchaseDate ?? copy.purchaseDate
        copy.lineItem = identifiers.lineItem(
            of: member,
            realm: self[member].realm,
            storefront: self[member].storefront
        )
        copy.groupID = group
        copy.expiresDate = row.expiresDate
        copy.offer = row.offer
        let entered = enter(copy)
        self[member].put(
            Subscription(
                groupID: group,
                ownership: .familyShared,
                originalID: entered.originalID,
                originalPurchaseDate: entered.originalPurchaseDate,
                current: entered,
                autoRenews: true,
                nextProductID: row.productID,
                pendingOffer: nil,
                recentStart: held?.recentStart ?? entered.purchaseDate,
                anchorDay: Period.anchorDay(of: row.purchaseDate),
                appAccountToken: nil,
                paidService: 0,
                sharedFrom: row.account
            )
        )
        note(held == nil ? .subscribed(entered.id) : .resubscribed(entered.id))
    }

    private mutating func newCopy(
        of source: TransactionID,
        _ productID: String,
        _ type: ProductType,
        for member: AccountID
    ) -> Transaction {
        let account = self[member]
        let id = identifiers.transaction(of: member, realm: account.realm, storefront: account.storefront)
        return Transaction(
            id: id,
            originalID: id,
            account: member,
            change: 0,
            lineItem: nil,
            order: nil,
            productID: productID,
            groupID: nil,
            type: type,
            purchaseDate: now.wholeSecond,
            originalPurchaseDate: now.wholeSecond,
            expiresDate: nil,
            quantity: 1,
            appAccountToken: nil,
            ownership: .familyShared,
            reason: .purchase,
            storefront: account.storefront,
            price: nil,
            offer: nil,
            isUpgraded: false,
            revocation: nil,
            refundNumber: nil,
            isFinished: false,
            sharedFrom: source,
            modifiedDate: now
        )
    }

    /// The copies of a purchase that a member holds, with access or without.
    private func copies(of row: Transaction, heldBy member: AccountID) -> [Transaction] {
        if let group = row.groupID {
            let held = self[member].subscription(toGroup: group, .familyShared)
            return [held].compactMap { $0?.current }.filter { $0.sharedFrom == row.id }
        }
        guard let owned = self[member].owned[row.productID], owned.sharedFrom == row.account else { return [] }
        return [rows[owned.transaction]].compactMap { $0 }.filter { $0.sharedFrom == row.id }
    }

    private mutating func revokeCopies(heldBy member: AccountID, from owner: AccountID, reason: RevocationReason) {
        for productID in self[member].owned.keys.sorted() {
            guard
                let owned = self[member].owned[productID], owned.sharedFrom == owner, !owned.isRevoked,
                let copy = rows[owned.transaction]
            else { continue }
            revoke(copy, reason: reason)
        }
        for subscription in self[member].subscriptions
        where subscription.sharedFrom == owner && subscription.current.revocation == nil
            && subscription.status(at: now) == .active
        {
            revoke(subscription.current, reason: reason)
        }
    }

    private mutating func revoke(_ copy: Transaction, reason: RevocationReason) {
        let revocation = Revocation(date: now.wholeSecond, reason: reason, kind: .familyRevoke, percentage: nil)
        amend(copy) { $0.revocation = revocation }
        self[copy.account].owned[copy.productID]?.isRevoked = true
        note(.familyAccessRevoked(copy.id))
    }
}
