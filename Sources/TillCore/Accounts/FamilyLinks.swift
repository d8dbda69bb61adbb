/// Links the copies of imported family members to the purchases of an imported purchaser (docs/client/import.md).
///
/// An import cannot know the purchaser of a copy, so the copy is external: nothing changes its state. No answer of the
/// App Store names the purchaser, and a copy has ids of its own. So a copy belongs to a purchase if both are about the
/// same product, their latest periods end at the same time, and neither access has ended alone.
extension Ledger {
    /// Links the external copies of a new family member to the purchases of the others, and theirs to the new member's.
    ///
    /// - Throws: `copyDiffers` if a copy and the only purchases that it can belong to contradict each other;
    ///   `noExternalCopy` if there is nothing to link.
    mutating func linkCopies(of id: AccountID, and others: [AccountID]) throws(Refusal) {
        let pairs = others.map { (id, $0) } + others.map { ($0, id) }
        var mismatches: [TransactionID: Refusal] = [:]
        var linked: Set<TransactionID> = []
        for (member, owner) in pairs {
            for copy in self[member].sharedSubscriptions where copy.source == .external {
                guard let purchase = self[owner].subscription(toGroup: copy.groupID) else { continue }
                if let mismatch = mismatch(copy, purchase) {
                    mismatches[copy.originalID] = mismatch
                } else {
                    link(copy, of: member, to: purchase, of: owner)
                    linked.insert(copy.originalID)
                }
            }
            for copy in self[member].ownedProducts where copy.ownership == .familyShared && copy.sharedFrom == nil {
                guard let purchase = purchase(of: copy, by: owner, for: member) else { continue }
                if let mismatch = mismatch(copy, purchase) {
                    mismatches[copy.transaction] = mismatch
                } else {
                    link(copy, of: member, to: purchase, of: owner)
                    linked.insert(copy.transaction)
                }
            }
        }
        if let open = mismatches.filter({ !linked.contains($0.key) }).min(by: { $0.key < $1.key }) { throw open.value }
        guard !linked.isEmpty else { throw .noExternalCopy(customer: self[id].customer) }
    }

    // MARK: Subscriptions

    private func mismatch(_ copy: SharedSubscription, _ purchase: Subscription) -> Refusal? {
        let (theirs, own) = (purchase.state.latest, copy.state.latest)
        let difference: CopyDifference? =
            if own.transaction.productID != theirs.transaction.productID {
                .productID
            } else if own.end != theirs.end {
                .expiresDate
            } else if theirs.isRevoked && !own.isRevoked {
                .revocationDate
            } else {
                nil
            }
        if let difference { return .copyDiffers(own.transaction.shownID, theirs.transaction.shownID, difference) }
        return isShareable(purchase) ? nil : .notShareable(product: theirs.transaction.productID)
    }

    private mutating func link(
        _ copy: SharedSubscription,
        of member: AccountID,
        to purchase: Subscription,
        of owner: AccountID
    ) {
        let latest = copy.state.latest
        // A revoked copy gives access again if the member joins the family of a purchase that does.
        let state =
            latest.isRevoked ? copy.state : purchase.state.with(latest: latest, previous: copy.state.previous)
        self[member].put(
            SharedSubscription(
                groupID: copy.groupID,
                originalID: copy.originalID,
                originalPurchaseDate: copy.originalPurchaseDate,
                source: .account(owner),
                state: state,
                preference: purchase.preference,
                recentStart: copy.recentStart
            )
        )
        for period in copy.state.periods {
            guard let source = purchase.state.periods.first(where: { $0.end == period.end }) else { continue }
            amend(period.transaction, movesHistory: false) { $0.sharedFrom = source.id }
        }
        note(.familyCopyLinked(latest.id))
    }

    // MARK: Non-consumables

    /// The owner's purchase of the product of a copy, unless the member has a copy of the purchase already.
    private func purchase(of copy: OwnedProduct, by owner: AccountID, for member: AccountID) -> OwnedProduct? {
        self[owner].ownedProducts.first { purchase in
            purchase.ownership == .purchased && purchase.productID == copy.productID
                && !self[member].ownedProducts.contains { $0.source == purchase.transaction }
        }
    }

    private func mismatch(_ copy: OwnedProduct, _ purchase: OwnedProduct) -> Refusal? {
        if purchase.isRevoked && !copy.isRevoked {
            func shown(_ id: TransactionID) -> String { transactions[id]?.shownID ?? id.wireForm }
            return .copyDiffers(shown(copy.transaction), shown(purchase.transaction), .revocationDate)
        }
        let isShareable = catalog.products[copy.productID]?.isFamilyShareable == true
        return isShareable ? nil : .notShareable(product: copy.productID)
    }

    private mutating func link(
        _ copy: OwnedProduct,
        of member: AccountID,
        to purchase: OwnedProduct,
        of owner: AccountID
    ) {
        guard let place = self[member].ownedProducts.firstIndex(where: { $0.transaction == copy.transaction }),
            let transaction = transactions[copy.transaction]
        else { return }
        self[member].ownedProducts[place].sharedFrom = owner
        self[member].ownedProducts[place].source = purchase.transaction
        amend(transaction, movesHistory: false) { $0.sharedFrom = purchase.transaction }
        note(.familyCopyLinked(copy.transaction))
    }
}

/// The key in which an imported copy differs from the purchase to which it would belong.
package enum CopyDifference: String, Sendable {
    case productID = "productId"
    case expiresDate, revocationDate
}
