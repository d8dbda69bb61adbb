/// Family members' copies: each member gets a copy of every shareable purchase of the others. A copy of a
/// non-consumable has an id of its own and no price (docs/api/families.md). `FamilyProjection` covers subscriptions.
extension Ledger {
    // MARK: Sharing everything

    /// Shares everything of an owner that can be shared with a member now.
    mutating func share(holdingsOf owner: AccountID, with member: AccountID) {
        for holding in self[owner].holdings
        where holding.ownership == .purchased && !holding.isRevoked && holding.isShared
            && catalog.products[holding.productID]?.isFamilyShareable == true
        {
            shareProduct(holding, of: owner, with: member)
        }
        for subscription in self[owner].subscriptions { share(subscription, of: owner, with: member) }
    }

    /// A job's part: family sharing was turned on for a product.
    ///
    /// - Returns: whether the account's purchase is shared now; nil where it has none.
    mutating func shareHoldings(of productID: String, by id: AccountID) -> Bool? {
        let has =
            self[id].holdings.contains { $0.productID == productID && $0.ownership == .purchased && !$0.isRevoked }
            || self[id].subscriptions.contains {
                $0.latestTransaction.productID == productID && $0.state.givesAccess
            }
        guard has, let family = self[id].family else { return nil }
        for member in family.members where member != id { share(holdingsOf: id, with: member) }
        return true
    }

    /// Ends a member's access through an owner's purchases.
    mutating func endAccess(of member: AccountID, to owner: AccountID) {
        for holding in self[member].holdings where holding.sharedFrom == owner && !holding.isRevoked {
            if let copy = rows[holding.transaction] { revokeProduct(copy, reason: .other) }
        }
        for copy in self[member].sharedSubscriptions where copy.owner == owner {
            revokeAccess(by: copy, of: member, reason: .other)
        }
    }

    // MARK: Non-consumables

    /// Gives every other member a copy of a non-consumable, if it can be shared.
    mutating func shareProduct(_ row: Transaction, _ product: Product) {
        guard
            product.isFamilyShareable, let family = self[row.account].family,
            let holding = self[row.account].holdings.first(where: { $0.transaction == row.id }),
            holding.isShared, !holding.isRevoked
        else { return }
        for member in family.members where member != row.account {
            shareProduct(holding, of: row.account, with: member)
        }
    }

    private mutating func shareProduct(_ holding: Holding, of owner: AccountID, with member: AccountID) {
        if let place = self[member].holdings.firstIndex(where: { $0.source == holding.transaction }) {
            guard self[member].holdings[place].isRevoked, let copy = rows[self[member].holdings[place].transaction]
            else { return }
            return restoreProduct(copy)
        }
        let copy = enter(newCopy(of: holding.transaction, holding.productID, .nonConsumable, for: member))
        self[member].holdings.append(
            Holding(
                productID: holding.productID,
                transaction: copy.id,
                ownership: .familyShared,
                sharedFrom: owner,
                source: holding.transaction
            )
        )
        note(.charged(copy.id))
    }

    /// Ends the members' access through a non-consumable.
    mutating func endSharingOfProduct(_ row: Transaction, reason: RevocationReason) {
        for copy in copies(of: row) where copy.revocation == nil { revokeProduct(copy, reason: reason) }
    }

    /// A refund of a non-consumable was reversed: members regain the access that the refund ended, and members who
    /// joined since get it, too.
    mutating func resumeSharingOfProduct(_ row: Transaction) {
        guard
            let product = catalog.products[row.productID], product.isFamilyShareable,
            self[row.account].holdings.first(where: { $0.transaction == row.id })?.isShared == true
        else { return }
        for copy in copies(of: row) where copy.revocation != nil { restoreProduct(copy) }
        shareProduct(row, product)
    }

    /// The members' copies of a non-consumable, with or without access.
    private func copies(of row: Transaction) -> [Transaction] {
        guard let family = self[row.account].family else { return [] }
        return family.members.filter { $0 != row.account }.flatMap { member in
            self[member].holdings.filter { $0.source == row.id }.compactMap { rows[$0.transaction] }
        }
    }

    private mutating func revokeProduct(_ copy: Transaction, reason: RevocationReason) {
        let revocation = Revocation(date: now.wholeSecond, reason: reason, kind: .familyRevoke, percentage: nil)
        amend(copy) { $0.revocation = revocation }
        setRevoked(true, holdingBy: copy)
        note(.familyAccessRevoked(copy.id))
    }

    private mutating func restoreProduct(_ copy: Transaction) {
        amend(copy) { $0.revocation = nil }
        setRevoked(false, holdingBy: copy)
        noteToMember(.familyAccessRestored(copy.id))
    }

    /// Marks a non-consumable as revoked, or not.
    mutating func setRevoked(_ isRevoked: Bool, holdingBy row: Transaction) {
        guard let place = self[row.account].holdings.firstIndex(where: { $0.transaction == row.id }) else { return }
        self[row.account].holdings[place].isRevoked = isRevoked
    }

    // MARK: The transaction of a copy

    /// A member's copy of another member's transaction. For a subscription the caller adds the period.
    mutating func newCopy(
        of source: TransactionID,
        _ productID: String,
        _ type: ProductType,
        for member: AccountID
    ) -> Transaction {
        let account = self[member]
        let id = identifiers.transaction(of: member, environment: account.environment, storefront: account.storefront)
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
}
