/// The error for a stored account that contradicts itself or its family. The rules never use such data, because no
/// version of Till wrote it: the server quarantines the account and reports the reason.
package struct DamagedAccount: Error, Equatable, Sendable, CustomStringConvertible {
    /// The account that has the contradiction.
    package let account: AccountID
    /// The customer's name.
    package let customer: String
    /// What is wrong: a clause about the account, without a full stop.
    package let reason: String

    /// A contradiction in an account.
    package init(_ account: Account, _ reason: String) {
        self.account = account.id
        customer = account.customer
        self.reason = reason
    }

    /// A damaged account; only its number and the customer's name could be read.
    package init(_ account: AccountID, of customer: String, _ reason: String) {
        self.account = account
        self.customer = customer
        self.reason = reason
    }

    /// The account, the contradiction and the remedy.
    package var description: String {
        "account \(account.number) (\(customer)) is damaged: \(reason); run till doctor, then restore a backup or a "
            + "snapshot from before the damage"
    }
}

extension Ledger {
    /// A contradiction in accounts that were loaded together; nil if there is none. The check ensures that no rule uses
    /// a missing account, period or number.
    ///
    /// - Parameter accounts: An account and the accounts of its whole family, as stored.
    package static func damage(in accounts: [Account]) -> DamagedAccount? {
        for account in accounts {
            if let reason = account.damage { return DamagedAccount(account, reason) }
        }
        guard accounts.contains(where: { !AccountRelations($0).isAlone }) else { return nil }
        let relations = Dictionary(accounts.map { ($0.id, AccountRelations($0)) }) { first, _ in first }
        for account in accounts {
            if let reason = relations[account.id]?.fault(among: { relations[$0] }) {
                return DamagedAccount(account, reason)
            }
        }
        return nil
    }
}

extension Account {
    /// What is wrong in this account: a clause without a full stop; nil if nothing is wrong.
    package var damage: String? {
        if let damageFound { return damageFound }
        let counters = [version, changeNumber, refundNumber, rowCount, heldNumber, notificationNumber]
        guard counters.allSatisfy(StoredNumbers.counters.contains) else { return "one of its counters is out of range" }
        let dates = [lastEvent, lastSigned, appTransaction?.originalPurchaseDate, appTransaction?.preorderDate]
        let listed =
            Array(winBackOffersTaken.values) + heldPurchases.map(\.since) + refundRequests.map(\.since)
            + refundRequests.compactMap(\.decideAt)
        guard (dates.compactMap(\.self) + listed).allSatisfy(StoredNumbers.isDate) else {
            return "one of its dates is out of range"
        }
        for subscription in heldSubscriptions {
            let reason = subscription.damage(in: id) ?? subscription.bought?.damagedTerms
            if let reason { return "its subscription \(subscription.originalID.number) \(reason)" }
        }
        let originals = subscriptions.map(\.originalID) + sharedSubscriptions.map(\.originalID)
        guard Set(originals).count == originals.count else {
            return "it has two subscriptions with the same original transaction"
        }
        guard Set(subscriptions.map(\.groupID)).count == subscriptions.count else {
            return "it has two subscriptions to the same group"
        }
        guard Set(ownedProducts.map(\.transaction)).count == ownedProducts.count else {
            return "it has two products from the same transaction"
        }
        // The purchaser of an imported copy is on another server.
        for ownedProduct in ownedProducts
        where ownedProduct.ownership == .purchased
            ? ownedProduct.sharedFrom != nil : ownedProduct.sharedFrom == nil && foreignID == nil
        {
            return "its copy of \(ownedProduct.productID) does not name the purchaser, or is a purchase and names one"
        }
        let held = heldPurchases.map(\.number)
        guard Set(held).count == held.count, held.allSatisfy({ $0 >= 1 && $0 <= heldNumber }) else {
            return "a held purchase has a number above the account's count, or two have the same number"
        }
        guard Set(refundRequests.map(\.transaction)).count == refundRequests.count else {
            return "it has two refund requests for one transaction"
        }
        return family.flatMap { $0.damage(of: id) }
    }
}

extension FamilyMembership {
    fileprivate func damage(of account: AccountID) -> String? {
        guard members.contains(account) else { return "its family \(name) does not have it as a member" }
        guard Set(members).count == members.count else { return "its family \(name) names a member twice" }
        guard members.count <= Self.maxMembers else {
            return "its family \(name) has more than \(Self.maxMembers) members"
        }
        return members.contains(organizer) ? nil : "the organizer of its family \(name) is not a member"
    }
}

extension HeldSubscription {
    /// What is wrong in the values that bought and shared subscriptions have in common; nil if nothing is wrong. The
    /// state itself is checked when it is read (`SubscriptionState.init(stored:)`).
    fileprivate func damage(in account: AccountID) -> String? {
        for transaction in state.periods.map(\.transaction) {
            if let reason = transaction.damage { return "has transaction \(transaction.id.number): \(reason)" }
            guard transaction.account == account else {
                return "has transaction \(transaction.id.number), which names account \(transaction.account.number)"
            }
            guard transaction.originalID == originalID, transaction.groupID == groupID,
                transaction.ownership == ownership
            else {
                return "has transaction \(transaction.id.number), which belongs to another subscription"
            }
        }
        let dates = [originalPurchaseDate, recentStart] + state.dates
        return dates.allSatisfy(StoredNumbers.isDate) ? nil : "has a date out of range"
    }
}

extension Subscription {
    /// What is wrong with the subscription's prices, offers and counters; nil if nothing is wrong.
    fileprivate var damagedTerms: String? {
        let dates = [lastPriceIncrease, priceIncrease?.effectiveFrom, priceIncrease?.scheduledAt, missedCharge]
            .compactMap(\.self)
        let given = extensions.flatMap { [$0.date, $0.effectiveDate] }
        guard (dates + given).allSatisfy(StoredNumbers.isDate) else { return "has a date out of range" }
        let prices = [agreedPrice, priceIncrease?.price].compactMap(\.self)
        let areCounts = pendingOffers.allSatisfy { (0...1_000_000).contains($0.remainingPeriods) }
        guard areCounts, prices.allSatisfy({ $0.milliunits >= 0 }), (1...31).contains(anchor.day),
            (0..<86_400_000).contains(anchor.time), (0...1_000_000_000).contains(renewals),
            (0...1_000_000_000).contains(paidPeriods), StoredNumbers.spans.contains(paidService)
        else { return "has a number out of range" }
        return nil
    }
}

extension SubscriptionState {
    /// The dates of the state itself, without the dates of its transactions.
    fileprivate var dates: [Timestamp] {
        switch self {
        case .active: []
        case .gracePeriod(_, let until, let retryUntil): [until, retryUntil]
        case .billingRetry(_, let until, let ended): [until, ended].compactMap(\.self)
        case .expired(_, let reason, let instant): [instant] + reason.dates
        case .revoked(_, _, .period): []
        case .revoked(_, _, .gracePeriod(let until, let retryUntil)): [until, retryUntil]
        case .revoked(_, _, .billingRetry(let until, let ended)): [until, ended].compactMap(\.self)
        case .revoked(_, _, .expired(let reason, let instant)): [instant] + reason.dates
        }
    }
}

extension ExpirationReason {
    fileprivate var dates: [Timestamp] {
        if case .billing(let ended?) = self { [ended] } else { [] }
    }
}

extension Transaction {
    /// What is wrong with the numbers of a transaction, which calculations depend on; nil if nothing is wrong.
    package var damage: String? {
        let dates: [Timestamp?] = [
            purchaseDate, originalPurchaseDate, modifiedDate, expiresDate, revocation?.date, commitment?.expiresDate,
        ]
        guard dates.compactMap(\.self).allSatisfy(StoredNumbers.isDate) else { return "a date is out of range" }
        guard (price?.milliunits ?? 0) >= 0, (commitment?.price.milliunits ?? 0) >= 0 else {
            return "a price is negative"
        }
        guard let commitment else { return nil }
        let months = 1...1_000
        return months.contains(commitment.period) && months.contains(commitment.periods)
            ? nil : "the month of the commitment is out of range"
    }
}

/// The ranges of stored numbers in which no calculation can overflow.
private enum StoredNumbers {
    static let counters: ClosedRange<Int64> = 0...(1 << 53)
    /// Durations in milliseconds.
    static let spans: ClosedRange<Int64> = 0...(1 << 60)
    /// About 35,000 years before and after 1970, in milliseconds.
    private static let dates: ClosedRange<Int64> = -(1 << 50)...(1 << 50)

    static func isDate(_ date: Timestamp) -> Bool { dates.contains(date.milliseconds) }
}
