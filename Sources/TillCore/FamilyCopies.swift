/// A family member's copy of a purchase: it has ids of its own and no price, and goes through what the purchase goes
/// through (docs/api/families.md).
extension Ledger {
    // MARK: What a purchase means to the family

    /// Gives every other member a copy of a purchase, if its product can be shared.
    mutating func shareWithFamily(_ row: Transaction, _ product: Product) {
        guard product.isFamilyShareable, let family = self[row.account].family else { return }
        for member in family.members where member != row.account { share(row, with: member) }
    }

    /// Everything of an owner that a member may use now.
    mutating func share(holdingsOf owner: AccountID, with member: AccountID) {
        for holding in self[owner].holdings
        where holding.ownership == .purchased && !holding.isRevoked && holding.isShared
            && catalog.products[holding.productID]?.isFamilyShareable == true
        {
            shareProduct(holding, of: owner, with: member)
        }
        for subscription in self[owner].subscriptions
        where subscription.ownership == .purchased && subscription.isShared && subscription.givesAccess(at: now)
            && catalog.products[subscription.latestTransaction.productID]?.isFamilyShareable == true
        {
            shareSubscription(subscription, of: owner, with: member)
        }
    }

    /// A job's part: sharing was switched on for a product.
    ///
    /// - Returns: whether the account shares it; nil where it has none.
    mutating func shareHoldings(of productID: String, by id: AccountID) -> Bool? {
        let has =
            self[id].holdings.contains { $0.productID == productID && $0.ownership == .purchased && !$0.isRevoked }
            || self[id].subscriptions.contains {
                $0.latestTransaction.productID == productID && $0.ownership == .purchased && $0.givesAccess(at: now)
            }
        guard has, let family = self[id].family else { return nil }
        for member in family.members where member != id { share(holdingsOf: id, with: member) }
        return true
    }

    private mutating func share(_ row: Transaction, with member: AccountID) {
        if row.groupID != nil {
            guard
                let subscription = self[row.account].subscription(row.originalID), subscription.isShared,
                subscription.givesAccess(at: now)
            else { return }
            shareSubscription(subscription, of: row.account, with: member)
        } else if let holding = self[row.account].holdings.first(where: { $0.transaction == row.id }),
            holding.isShared, !holding.isRevoked
        {
            shareProduct(holding, of: row.account, with: member)
        }
    }

    // MARK: Making a copy

    private mutating func shareProduct(_ holding: Holding, of owner: AccountID, with member: AccountID) {
        if let place = self[member].holdings.firstIndex(where: { $0.source == holding.transaction }) {
            guard self[member].holdings[place].isRevoked, let copy = rows[self[member].holdings[place].transaction]
            else { return }
            return restore(copy)
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

    private mutating func shareSubscription(_ subscription: Subscription, of owner: AccountID, with member: AccountID) {
        let row = subscription.latestTransaction
        let held = self[member].copy(ofGroup: subscription.groupID, sharedBy: owner)
        if let held, held.latestTransaction.revocation == nil, held.latestTransaction.sharedFrom == row.id { return }
        let copy = subscriptionCopy(of: subscription, for: member, continuing: held)
        let entered = enter(copy)
        let gap = held.map { now.milliseconds - $0.endOfAccess.milliseconds }
        let continuesRun = gap.map { $0 <= policy.longestGap } ?? false
        var given = Subscription(
            groupID: subscription.groupID,
            ownership: .familyShared,
            originalID: entered.originalID,
            originalPurchaseDate: entered.originalPurchaseDate,
            latestTransaction: entered,
            autoRenews: subscription.autoRenews,
            nextProductID: subscription.nextProductID,
            recentStart: continuesRun ? (held?.recentStart ?? entered.purchaseDate) : entered.purchaseDate,
            anchor: subscription.anchor,
            paidService: 0,
            sharedFrom: owner
        )
        given.trouble = subscription.trouble
        self[member].put(given)
        note(held == nil ? .subscribed(entered.id) : .resubscribed(entered.id))
    }

    private mutating func subscriptionCopy(
        of subscription: Subscription,
        for member: AccountID,
        continuing held: Subscription?
    ) -> Transaction {
        let row = subscription.latestTransaction
        var copy = newCopy(of: row.id, row.productID, .autoRenewable, for: member)
        // Who joins in the grace period comes into a period that is over.
        if let end = row.expiresDate, copy.purchaseDate >= end { copy.purchaseDate = row.purchaseDate }
        copy.originalID = held?.originalID ?? copy.id
        copy.originalPurchaseDate = held?.originalPurchaseDate ?? copy.purchaseDate
        copy.lineItem = identifiers.lineItem(
            of: member,
            realm: self[member].realm,
            storefront: self[member].storefront
        )
        copy.groupID = subscription.groupID
        copy.expiresDate = row.expiresDate
        copy.offer = row.offer
        return copy
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

    // MARK: What happens to the purchase happens to its copies

    /// The copies through which members have access by a subscription, by member.
    func copies(of subscription: Subscription, by owner: AccountID) -> [(AccountID, Subscription)] {
        guard subscription.ownership == .purchased, let family = self[owner].family else { return [] }
        return family.members.compactMap { member in
            guard
                member != owner, let copy = self[member].copy(ofGroup: subscription.groupID, sharedBy: owner),
                copy.latestTransaction.revocation == nil, copy.ended == nil
            else { return nil }
            return (member, copy)
        }
    }

    /// Each copy has a next row when the purchase has one; a product that cannot be shared ends the access. Members who
    /// had none, because the last product could not be shared or nothing was paid when they joined, have it now.
    mutating func renewCopies(
        of subscription: Subscription,
        by renewed: Subscription,
        telling event: (TransactionID) -> Event
    ) {
        let owner = renewed.latestTransaction.account
        let isShared = catalog.products[renewed.latestTransaction.productID]?.isFamilyShareable == true
        for (member, copy) in copies(of: renewed, by: owner) {
            guard isShared, let end = renewed.latestTransaction.expiresDate else {
                revoke(copy.latestTransaction, reason: .other)
                continue
            }
            var row = renewalRow(of: copy, by: member, from: renewed.latestTransaction.purchaseDate, to: end)
            row.productID = renewed.latestTransaction.productID
            row.offer = renewed.latestTransaction.offer
            row.sharedFrom = renewed.latestTransaction.id
            let entered = enter(row)
            var advanced = advance(
                copy,
                to: entered,
                from: renewed.latestTransaction.purchaseDate,
                anchor: renewed.anchor
            )
            advanced.autoRenews = renewed.autoRenews
            advanced.nextProductID = renewed.nextProductID
            self[member].put(advanced)
            note(event(entered.id))
        }
        guard let product = catalog.products[renewed.latestTransaction.productID] else { return }
        shareWithFamily(renewed.latestTransaction, product)
    }

    /// The purchase went over to another product at once, and each copy does.
    mutating func replaceCopies(of held: Subscription, by row: Transaction, _ product: Product) {
        guard let replacing = self[row.account].subscription(row.originalID) else { return }
        for (member, copy) in copies(of: held, by: row.account) {
            guard product.isFamilyShareable else {
                revoke(copy.latestTransaction, reason: .other)
                continue
            }
            if let running = copy.runningAhead(at: now) { amend(running) { $0.isUpgraded = true } }
            let old = amend(copy.latestTransaction) { $0.isUpgraded = true }
            let entered = enter(subscriptionCopy(of: replacing, for: member, continuing: copy))
            var next = copy
            next.latestTransaction = entered
            next.running = nil
            next.autoRenews = true
            next.nextProductID = product.id
            next.anchor = replacing.anchor
            next.renewals = 0
            self[member].put(next)
            note(.upgraded(from: old.id, to: entered.id, withOffer: false))
        }
        shareWithFamily(row, product)
    }

    // MARK: The end of access, and its return

    /// Ends the access that members have by a purchase.
    mutating func endSharing(of row: Transaction, reason: RevocationReason) {
        for copy in copies(of: row) where copy.revocation == nil { revoke(copy, reason: reason) }
    }

    /// Ends all access that members have by a subscription.
    mutating func endSharing(of subscription: Subscription) {
        let owner = subscription.latestTransaction.account
        for member in self[owner].family?.members ?? [] where member != owner {
            if let copy = self[member].copy(ofGroup: subscription.groupID, sharedBy: owner) { revokeAccess(by: copy) }
        }
    }

    /// Gives members back the access that a refund took from them, and to those who joined since what they would have.
    mutating func resumeSharing(of row: Transaction) {
        guard
            let family = self[row.account].family, let product = catalog.products[row.productID],
            product.isFamilyShareable
        else { return }
        let subscription = self[row.account].subscription(row.originalID)
        let holding = self[row.account].holdings.first { $0.transaction == row.id }
        guard subscription?.isShared ?? holding?.isShared == true else { return }
        let copies = copies(of: row)
        for copy in copies where copy.revocation != nil {
            if let subscription { match(copy, subscription) }
            restore(copy)
        }
        if let subscription, !subscription.givesAccess(at: now) { return }
        let restored = Set(copies.map(\.account))
        for member in family.members where member != row.account && !restored.contains(member) {
            share(row, with: member)
        }
    }

    /// The purchaser went over to something that cannot be shared while the last payment was waited for.
    mutating func revokeCopies(of subscription: Subscription, by owner: AccountID) {
        for (_, copy) in copies(of: subscription, by: owner) { revoke(copy.latestTransaction, reason: .other) }
    }

    mutating func revokeCopies(heldBy member: AccountID, from owner: AccountID) {
        for holding in self[member].holdings where holding.sharedFrom == owner && !holding.isRevoked {
            if let copy = rows[holding.transaction] { revoke(copy, reason: .other) }
        }
        for subscription in self[member].subscriptions where subscription.sharedFrom == owner {
            revokeAccess(by: subscription)
        }
    }

    /// The rows that members have by this row of a purchase, with access or without.
    private func copies(of row: Transaction) -> [Transaction] {
        guard let family = self[row.account].family else { return [] }
        return family.members.filter { $0 != row.account }.flatMap { member -> [Transaction] in
            if let group = row.groupID {
                let copy = self[member].copy(ofGroup: group, sharedBy: row.account)
                return [copy?.latestTransaction, copy?.running].compactMap { $0 }.filter { $0.sharedFrom == row.id }
            }
            return self[member].holdings.filter { $0.source == row.id }.compactMap { rows[$0.transaction] }
        }
    }

    /// Ends a member's access by a copy: by the period that runs, and by the next where it was charged ahead. Told
    /// once, of the period that runs.
    private mutating func revokeAccess(by copy: Subscription) {
        guard copy.ended == nil else { return }
        guard let running = copy.runningAhead(at: now), running.revocation == nil else {
            if copy.latestTransaction.revocation == nil { revoke(copy.latestTransaction, reason: .other) }
            return
        }
        let revocation = Revocation(date: now.wholeSecond, reason: .other, kind: .familyRevoke, percentage: nil)
        if copy.latestTransaction.revocation == nil { amend(copy.latestTransaction) { $0.revocation = revocation } }
        revoke(running, reason: .other)
    }

    private mutating func revoke(_ copy: Transaction, reason: RevocationReason) {
        let revocation = Revocation(date: now.wholeSecond, reason: reason, kind: .familyRevoke, percentage: nil)
        amend(copy) { $0.revocation = revocation }
        if let place = self[copy.account].holdings.firstIndex(where: { $0.transaction == copy.id }) {
            self[copy.account].holdings[place].isRevoked = true
        }
        note(.familyAccessRevoked(copy.id))
    }

    /// A copy that comes back stands as the purchase does, which may have ended while it was refunded.
    private mutating func match(_ copy: Transaction, _ subscription: Subscription) {
        guard var held = self[copy.account].subscription(copy.originalID) else { return }
        held.autoRenews = subscription.autoRenews
        held.nextProductID = subscription.nextProductID
        held.trouble = subscription.trouble
        held.ended = subscription.ended
        held.wasLeftInGrace = subscription.wasLeftInGrace
        self[copy.account].put(held)
    }

    private mutating func restore(_ copy: Transaction) {
        amend(copy) { $0.revocation = nil }
        if let place = self[copy.account].holdings.firstIndex(where: { $0.transaction == copy.id }) {
            self[copy.account].holdings[place].isRevoked = false
        }
        note(.familyAccessRestored(copy.id))
    }
}

extension Subscription {
    /// Whether the customer may use it now.
    func givesAccess(at now: Timestamp) -> Bool {
        let status = status(at: now)
        return status == .active || status == .gracePeriod
    }

    /// When access ended, or will.
    var endOfAccess: Timestamp { min(renewalDate, latestTransaction.revocation?.date ?? renewalDate) }
}
