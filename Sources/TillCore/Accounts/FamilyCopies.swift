/// The family members' copies of purchases. Each member gets a copy of every purchase of the other members that can be
/// shared. A copy of a non-consumable has its own transaction id and no price (docs/api/families.md).
/// `FamilyProjection` handles subscriptions.
extension Ledger {
    // MARK: Sharing everything

    /// Shares all purchases of an owner that can be shared now with a member.
    mutating func share(productsOf owner: AccountID, with member: AccountID) {
        for ownedProduct in self[owner].ownedProducts
        where ownedProduct.ownership == .purchased && !ownedProduct.isRevoked && ownedProduct.isShared
            && catalog.products[ownedProduct.productID]?.isFamilyShareable == true
        {
            shareProduct(ownedProduct, of: owner, with: member)
        }
        for subscription in self[owner].subscriptions { share(subscription, of: owner, with: member) }
    }

    /// Shares the account's purchase of a product for which family sharing was turned on.
    ///
    /// - Returns: Whether the purchase is shared now; nil if the account has no purchase of this product.
    mutating func shareOwnedProducts(of productID: String, by id: AccountID) -> Bool? {
        let has =
            self[id].ownedProducts.contains { $0.productID == productID && $0.ownership == .purchased && !$0.isRevoked }
            || self[id].subscriptions.contains {
                $0.latestTransaction.productID == productID && $0.state.givesAccess
            }
        guard has, let family = self[id].family else { return nil }
        for member in family.members where member != id { share(productsOf: id, with: member) }
        return true
    }

    /// Ends the access that a member has through an owner's purchases.
    mutating func endAccess(of member: AccountID, to owner: AccountID) {
        for ownedProduct in self[member].ownedProducts where ownedProduct.sharedFrom == owner && !ownedProduct.isRevoked
        {
            if let copy = transactions[ownedProduct.transaction] { revokeProduct(copy, reason: .other) }
        }
        for copy in self[member].sharedSubscriptions where copy.owner == owner {
            revokeAccess(by: copy, of: member, reason: .other)
        }
    }

    // MARK: Non-consumables

    /// Gives every other member a copy of a non-consumable, if the product can be shared.
    mutating func shareProduct(_ transaction: Transaction, _ product: Product) {
        guard
            product.isFamilyShareable, let family = self[transaction.account].family,
            let ownedProduct = self[transaction.account].ownedProducts.first(where: { $0.transaction == transaction.id }
            ),
            ownedProduct.isShared, !ownedProduct.isRevoked
        else { return }
        for member in family.members where member != transaction.account {
            shareProduct(ownedProduct, of: transaction.account, with: member)
        }
    }

    private mutating func shareProduct(_ ownedProduct: OwnedProduct, of owner: AccountID, with member: AccountID) {
        if let place = self[member].ownedProducts.firstIndex(where: { $0.source == ownedProduct.transaction }) {
            guard self[member].ownedProducts[place].isRevoked,
                let copy = transactions[self[member].ownedProducts[place].transaction]
            else { return }
            return restoreProduct(copy)
        }
        let copy = enter(newCopy(of: ownedProduct.transaction, ownedProduct.productID, .nonConsumable, for: member))
        self[member].ownedProducts.append(
            OwnedProduct(
                productID: ownedProduct.productID,
                transaction: copy.id,
                ownership: .familyShared,
                sharedFrom: owner,
                source: ownedProduct.transaction
            )
        )
        note(.charged(copy.id))
    }

    /// Ends the access that the members have through a non-consumable.
    mutating func endSharingOfProduct(_ transaction: Transaction, reason: RevocationReason) {
        for copy in copies(of: transaction) where copy.revocation == nil { revokeProduct(copy, reason: reason) }
    }

    /// Shares a non-consumable again after its refund was reversed. Members regain the access that the refund ended.
    /// Members who joined since the refund get access, too.
    mutating func resumeSharingOfProduct(_ transaction: Transaction) {
        guard
            let product = catalog.products[transaction.productID], product.isFamilyShareable,
            self[transaction.account].ownedProducts.first(where: { $0.transaction == transaction.id })?.isShared == true
        else { return }
        for copy in copies(of: transaction) where copy.revocation != nil { restoreProduct(copy) }
        shareProduct(transaction, product)
    }

    /// The members' copies of a non-consumable, including copies that no longer give access.
    private func copies(of transaction: Transaction) -> [Transaction] {
        guard let family = self[transaction.account].family else { return [] }
        return family.members.filter { $0 != transaction.account }.flatMap { member in
            self[member].ownedProducts.filter { $0.source == transaction.id }.compactMap {
                transactions[$0.transaction]
            }
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

    /// Marks a non-consumable as revoked, or removes the mark.
    mutating func setRevoked(_ isRevoked: Bool, holdingBy transaction: Transaction) {
        guard
            let place = self[transaction.account].ownedProducts.firstIndex(where: { $0.transaction == transaction.id })
        else {
            return
        }
        self[transaction.account].ownedProducts[place].isRevoked = isRevoked
    }

    // MARK: The transaction of a copy

    /// A member's copy of another member's transaction. For a subscription, the caller sets the dates of the period.
    mutating func newCopy(
        of source: TransactionID,
        _ productID: String,
        _ type: ProductKind,
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
