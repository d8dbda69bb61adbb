/// The customer turns auto-renewal off and on (docs/api/lifecycle.md, Customer changes).
extension Ledger {
    mutating func turnAutoRenewOff(_ original: TransactionID, by id: AccountID) throws(Refusal) {
        let subscription = try subscription(original, of: id)
        switch subscription.status(at: now) {
        case .expired: throw .notSubscribed(original, since: subscription.renewalDate)
        case .revoked: throw .notSubscribed(original, since: subscription.latestTransaction.revocation?.date ?? now)
        case .billingRetry, .gracePeriod:
            // The customer gives up what could not be paid: access ends at once.
            let off = disableAutoRenew(subscription, by: id)
            expire(off, by: id, because: .customer)
        case .active:
            guard subscription.willRenew else { throw .autoRenewIsOff(original) }
            _ = disableAutoRenew(subscription, by: id)
        }
    }

    mutating func turnAutoRenewOn(_ original: TransactionID, by id: AccountID) throws(Refusal) {
        let subscription = try subscription(original, of: id)
        switch subscription.status(at: now) {
        case .expired: throw .notSubscribed(original, since: subscription.renewalDate)
        case .revoked: throw .notSubscribed(original, since: subscription.latestTransaction.revocation?.date ?? now)
        case .active, .billingRetry, .gracePeriod: break
        }
        guard !subscription.willRenew else { throw .autoRenewIsOn(original) }
        change(
            subscription,
            by: id,
            telling: { .autoRenewEnabled($0) },
            {
                $0.autoRenews = true
                $0.commitmentRenews = true
            }
        )
    }

    /// Turns auto-renewal off and tells of it. A change of plan and an offer that have not begun are dropped; a
    /// commitment is kept to its end.
    ///
    /// - Returns: the subscription as it then is.
    mutating func disableAutoRenew(_ subscription: Subscription, by id: AccountID) -> Subscription {
        // A family member's copy is bound as the purchase is, though its rows have no commitment.
        let isBound = subscription.isBound
        change(
            subscription,
            by: id,
            telling: { .autoRenewDisabled($0) },
            {
                if !isBound { $0.autoRenews = false }
                $0.commitmentRenews = false
                if $0.nextProductID != $0.latestTransaction.productID { $0.pendingOffers = $0.offersSetAside }
                $0.nextProductID = $0.latestTransaction.productID
                $0.nextBillingPlan = nil
                $0.offersSetAside = []
                $0.pendingOffers.removeAll { !$0.hasBegun }
            }
        )
        return self[id].subscription(subscription.originalID) ?? subscription
    }
}

extension Subscription {
    /// Whether the customer wants it to go on: past the commitment, where one binds.
    var willRenew: Bool { isBound ? commitmentRenews : autoRenews }
}
