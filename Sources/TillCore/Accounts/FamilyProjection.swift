/// The family members' copies of a subscription. Each copy has its own transactions, and it has the same state as the
/// purchaser's subscription (docs/api/families.md).
extension Ledger {
    // MARK: Changes of the purchaser's subscription

    /// Updates the family's copies to the subscription's state, and notifies the members' apps.
    ///
    /// - Parameter event: The event of the purchaser's notification; nil if there was no notification.
    mutating func project(_ subscription: Subscription, after event: Event?, by owner: AccountID) {
        guard self[owner].family != nil else { return }
        switch event {
        case .subscribed?, .resubscribed?:
            if !isShareable(subscription) { endAccess(to: subscription, by: owner) }
            shareWithFamily(subscription, of: owner)
        case .renewed?, .recovered?: renewCopies(of: subscription, after: event, by: owner)
        case .upgraded?: replaceCopies(of: subscription, by: owner)
        case .refunded(let id)? where id == subscription.state.latest.id: revokeCopies(of: subscription, by: owner)
        case .refundReversed(let id)? where id == subscription.state.latest.id:
            restoreCopies(of: subscription, by: owner)
        case .extended?:
            for (member, copy) in liveCopies(of: subscription, by: owner) {
                amend(copy.latestTransaction) { $0.expiresDate = subscription.renewalDate }
                put(subscription, on: copy, of: member, after: event)
            }
        default: mirror(subscription, after: event, by: owner)
        }
    }

    /// Updates the copies after a change that affects no transaction.
    private mutating func mirror(_ subscription: Subscription, after event: Event?, by owner: AccountID) {
        for (member, copy) in liveCopies(of: subscription, by: owner) {
            put(subscription, on: copy, of: member, after: event)
        }
    }

    /// Gives a copy the state of the subscription, but keeps the copy's own transactions.
    private mutating func put(
        _ subscription: Subscription,
        on copy: SharedSubscription,
        of member: AccountID,
        after event: Event?
    ) {
        guard var copy = self[member].sharedSubscription(copy.originalID) else { return }
        copy.state = subscription.state.with(latest: copy.state.latest, previous: copy.state.previous)
        copy.preference = subscription.preference
        self[member].put(copy)
        if let event = event?.forMember(copy.state.latest.id) { noteToMember(event) }
    }

    /// Adds the next period to each copy when the purchaser's subscription renews. If the product cannot be shared,
    /// access ends. Members without a copy get one now; they had none because the last product could not be shared, or
    /// because nothing was paid when they joined.
    private mutating func renewCopies(of subscription: Subscription, after event: Event?, by owner: AccountID) {
        let source = subscription.state.latest
        for (member, copy) in liveCopies(of: subscription, by: owner) {
            guard isShareable(subscription) else {
                revokeAccess(by: copy, of: member, reason: .other)
                continue
            }
            var transaction = renewalRow(of: copy.latestTransaction, by: member, from: source.start)
            transaction.takeTerms(of: source.transaction)
            let entered = enter(transaction, until: source.end)
            var renewed = copy
            if isLongGap(from: copy.renewalDate, to: max(source.start, now)) { renewed.recentStart = source.start }
            renewed.state = .active(entered, previous: now < source.start ? copy.state.latest : nil)
            renewed.preference = subscription.preference
            self[member].put(renewed)
            if let event = event?.forMember(entered.id) { noteToMember(event) }
        }
        shareWithFamily(subscription, of: owner)
    }

    /// Changes the product of each copy, because the purchaser's subscription changed to another product at once.
    private mutating func replaceCopies(of subscription: Subscription, by owner: AccountID) {
        for (member, copy) in liveCopies(of: subscription, by: owner) {
            guard isShareable(subscription) else {
                revokeAccess(by: copy, of: member, reason: .other)
                continue
            }
            for period in copy.state.periods where period.end > now && !period.isRevoked {
                amend(period.transaction) { $0.isUpgraded = true }
            }
            let period = enterCopy(of: subscription, for: member, continuing: copy)
            var replaced = copy
            replaced.state = .active(period)
            replaced.preference = subscription.preference
            self[member].put(replaced)
            noteToMember(.upgraded(from: copy.state.latest.id, to: period.id, withOffer: false))
        }
        shareWithFamily(subscription, of: owner)
    }

    /// Ends the members' access through the latest transaction, because it was refunded.
    private mutating func revokeCopies(of subscription: Subscription, by owner: AccountID) {
        guard let revocation = subscription.latestTransaction.revocation else { return }
        for (member, copy) in copies(of: subscription, by: owner) {
            guard !copy.state.latest.isRevoked, copy.isCopy(of: subscription) else { continue }
            revoke([copy.state.latest], of: copy, of: member, reason: revocation.reason)
        }
    }

    /// Restores the copies after a reversed refund. Members regain the access that the refund ended, and members who
    /// joined since then get the copies that they would have received.
    private mutating func restoreCopies(of subscription: Subscription, by owner: AccountID) {
        guard subscription.isShared, isShareable(subscription) else { return }
        for (member, copy) in copies(of: subscription, by: owner) where copy.isCopy(of: subscription) {
            guard copy.state.latest.isRevoked else { continue }
            amend(copy.latestTransaction) { $0.revocation = nil }
            put(subscription, on: copy, of: member, after: nil)
            noteToMember(.familyAccessRestored(copy.state.latest.id))
        }
        shareWithFamily(subscription, of: owner)
    }

    // MARK: Changes of family sharing

    /// Gives every other member a copy of a subscription, if the subscription gives access and can be shared.
    mutating func shareWithFamily(_ subscription: Subscription, of owner: AccountID) {
        for member in self[owner].family?.members ?? [] where member != owner {
            share(subscription, of: owner, with: member)
        }
    }

    /// Gives a member a copy of a subscription, unless the member already has one or the subscription cannot be shared.
    mutating func share(_ subscription: Subscription, of owner: AccountID, with member: AccountID) {
        guard subscription.isShared, subscription.state.givesAccess, isShareable(subscription) else { return }
        let held = self[member].sharedSubscription(toGroup: subscription.groupID, from: owner)
        if let held, held.isCopy(of: subscription), !held.state.latest.isRevoked { return }
        let period = enterCopy(of: subscription, for: member, continuing: held)
        let continuesRun = held.map { !isLongGap(from: $0.endOfAccess, to: now) } ?? false
        let shared = SharedSubscription(
            groupID: subscription.groupID,
            originalID: period.transaction.originalID,
            originalPurchaseDate: period.transaction.originalPurchaseDate,
            source: .account(owner),
            state: subscription.state.with(latest: period, previous: nil),
            preference: subscription.preference,
            // In grace and billing retry, the period may have begun before the member received the copy.
            recentStart: continuesRun ? min(held?.recentStart ?? period.start, period.start) : period.start
        )
        self[member].put(shared)
        noteToMember(held == nil ? .subscribed(period.id) : .resubscribed(period.id))
    }

    /// Ends the access of all members to a subscription.
    mutating func endAccess(to subscription: Subscription, by owner: AccountID) {
        for (member, copy) in liveCopies(of: subscription, by: owner) {
            revokeAccess(by: copy, of: member, reason: .other)
        }
    }

    /// Ends a member's access through one copy: in the current period, and in the next period if it was charged in
    /// advance. Each of these transactions causes a notification.
    mutating func revokeAccess(by copy: SharedSubscription, of member: AccountID, reason: RevocationReason) {
        guard copy.isLive else { return }
        let open = now < copy.state.latest.start ? copy.state.periods : [copy.state.latest]
        revoke(open.filter { !$0.isRevoked }, of: copy, of: member, reason: reason)
    }

    private mutating func revoke(
        _ periods: [SubscriptionPeriod],
        of copy: SharedSubscription,
        of member: AccountID,
        reason: RevocationReason
    ) {
        let revocation = Revocation(date: now.wholeSecond, reason: reason, kind: .familyRevoke, percentage: nil)
        for period in periods { amend(period.transaction) { $0.revocation = revocation } }
        guard var revoked = self[member].sharedSubscription(copy.originalID) else { return }
        let state = revoked.state
        revoked.state = .revoked(state.latest, previous: state.previous, resumes: state.resumable)
        self[member].put(revoked)
        for period in periods { noteToMember(.familyAccessRevoked(period.id)) }
    }

    // MARK: The copies

    /// Whether the catalog permits family sharing for the latest product.
    func isShareable(_ subscription: Subscription) -> Bool {
        catalog.products[subscription.latestTransaction.productID]?.isFamilyShareable == true
    }

    /// The members' copies of a subscription, including copies that no longer give access.
    private func copies(of subscription: Subscription, by owner: AccountID) -> [(AccountID, SharedSubscription)] {
        guard let family = self[owner].family else { return [] }
        return family.members.compactMap { member in
            guard
                member != owner,
                let copy = self[member].sharedSubscription(toGroup: subscription.groupID, from: owner)
            else { return nil }
            return (member, copy)
        }
    }

    private func liveCopies(of subscription: Subscription, by owner: AccountID) -> [(AccountID, SharedSubscription)] {
        copies(of: subscription, by: owner).filter(\.1.isLive)
    }

    /// Adds a member's transaction for the purchaser's latest period.
    private mutating func enterCopy(
        of subscription: Subscription,
        for member: AccountID,
        continuing held: SharedSubscription?
    ) -> SubscriptionPeriod {
        let source = subscription.state.latest
        var copy = newCopy(of: source.id, source.transaction.productID, .autoRenewable, for: member)
        // A member who joins during the grace period gets a copy of a period that has already ended.
        if copy.purchaseDate >= source.end { copy.purchaseDate = source.start }
        copy.originalID = held?.originalID ?? copy.id
        copy.originalPurchaseDate = held?.originalPurchaseDate ?? copy.purchaseDate
        copy.lineItem = identifiers.lineItem(
            of: member,
            environment: self[member].environment,
            storefront: self[member].storefront
        )
        copy.groupID = subscription.groupID
        copy.takeTerms(of: source.transaction)
        return enter(copy, until: source.end)
    }

    /// Adds an event for a family member. Apple's documentation does not mention notifications for family members when
    /// a grace period ends, a period is extended or a refund is reversed (`extraFamilyNotifications`).
    mutating func noteToMember(_ event: Event) {
        switch event {
        case .gracePeriodExpired, .extended, .familyAccessRestored:
            note(event, isSilent: !policy.extraFamilyNotifications)
        default: note(event)
        }
    }
}

extension SharedSubscription {
    /// Whether this copy's latest transaction is a copy of the purchaser's latest transaction.
    fileprivate func isCopy(of subscription: Subscription) -> Bool {
        latestTransaction.sharedFrom == subscription.state.latest.id
    }
}

extension Transaction {
    /// Copies the product and the other terms from the purchaser's transaction.
    fileprivate mutating func takeTerms(of source: Transaction) {
        productID = source.productID
        offer = source.offer
        billingPlan = source.billingPlan
        commitment = source.commitment
        sharedFrom = source.id
    }
}

extension Event {
    /// The same event for a family member's transaction; nil if only the purchaser's transaction causes this event.
    fileprivate func forMember(_ id: TransactionID) -> Event? {
        switch self {
        case .renewed: .renewed(id)
        case .recovered: .recovered(id)
        case .planChangeChosen(_, let product, _): .planChangeChosen(id, product: product, withOffer: false)
        case .planChangeWithdrawn: .planChangeWithdrawn(id)
        case .autoRenewEnabled: .autoRenewEnabled(id)
        case .autoRenewDisabled: .autoRenewDisabled(id)
        case .failedToRenew: .failedToRenew(id)
        case .gracePeriodEntered: .gracePeriodEntered(id)
        case .gracePeriodExpired: .gracePeriodExpired(id)
        case .expired(_, let intent): .expired(id, intent)
        case .extended: .extended(id)
        default: nil
        }
    }
}
