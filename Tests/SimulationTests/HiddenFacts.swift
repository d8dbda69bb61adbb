import TillCore

/// The facts of the closed list (`HiddenFact`) in which an original and its rebuilt account differ. The law copies
/// these facts, and nothing else, from the original to the rebuilt account. Everything else must be equal already.
struct HiddenFacts {
    /// The rebuilt account with the hidden facts of the original.
    private(set) var account: Account
    /// The hidden facts that differed.
    private(set) var copied: Set<HiddenFact> = []
    /// The other facts that differ, which must be none.
    private(set) var unexplained: [String] = []

    private let ids: [TransactionID: TransactionID]
    private let rows: [TransactionID: Transaction]
    private let catalog: Catalog
    private let policy: Policy
    private let instant: Timestamp

    /// - Parameters:
    ///   - original: the account that was lived.
    ///   - rebuilt: the account that was imported.
    ///   - ids: the rebuilt account's ids of the original's transactions.
    ///   - rows: the rebuilt account's transactions.
    ///   - catalog: the products of both shops.
    ///   - policy: the settings of both shops.
    ///   - instant: the time of the import.
    init(
        of original: Account,
        onto rebuilt: Account,
        ids: [TransactionID: TransactionID],
        rows: [TransactionID: Transaction],
        catalog: Catalog,
        policy: Policy,
        at instant: Timestamp
    ) {
        account = rebuilt
        self.ids = ids
        self.rows = rows
        self.catalog = catalog
        self.policy = policy
        self.instant = instant
        copyAccount(original)
        for theirs in original.subscriptions {
            guard let id = ids[theirs.originalID], var mine = account.subscription(id) else {
                unexplained.append("the subscription \(theirs.originalID.number) is missing")
                continue
            }
            copy(theirs, onto: &mine)
            account.put(mine)
        }
        compareAccount(original)
    }

    /// Compares the finished flags of a transaction, which the account does not contain.
    mutating func compare(_ theirs: Transaction, _ mine: Transaction) {
        guard theirs.isFinished != mine.isFinished else { return }
        if theirs.type != .consumable {
            copied.insert(.finished)
        } else if theirs.revocation != nil {
            copied.insert(.finishedRefund)
        } else {
            unexplained.append("finished: \(theirs.isFinished) and \(mine.isFinished)")
        }
    }

    // MARK: Copying

    /// Takes a value of the original.
    ///
    /// - Parameter isHidden: whether the fact is hidden in this account. If it is not, the values must be equal.
    private mutating func take<Value: Equatable>(
        _ fact: HiddenFact,
        _ theirs: Value,
        _ mine: inout Value,
        if isHidden: Bool = true
    ) {
        guard theirs != mine else { return }
        guard isHidden else { return unexplained.append("\(fact.rawValue): \(theirs) and \(mine)") }
        copied.insert(fact)
        mine = theirs
    }

    private mutating func differ<Value: Equatable>(_ name: String, _ theirs: Value, _ mine: Value) {
        if theirs != mine { unexplained.append("\(name): \(theirs) and \(mine)") }
    }

    private mutating func copyAccount(_ original: Account) {
        // A local copy, because a function cannot change two parts of one value at once.
        var account = account
        take(.card, original.card, &account.card)
        take(.storefront, original.storefront, &account.storefront)
        take(.askToBuy, original.asksToBuy, &account.asksToBuy)
        take(.heldPurchases, original.heldPurchases, &account.heldPurchases)
        take(.heldPurchases, original.heldNumber, &account.heldNumber)
        take(.lastEvent, original.lastEvent, &account.lastEvent, if: original.lastEvent > account.lastEvent)
        let hasAllCodes = original.codesRedeemed.isSuperset(of: account.codesRedeemed)
        take(.redeemedCodes, original.codesRedeemed, &account.codesRedeemed, if: hasAllCodes)
        take(.nonces, original.offerNonces, &account.offerNonces, if: account.offerNonces.isEmpty)
        let dates = [original, account].map { $0.winBackOffersTaken.mapValues(\.wholeSecond) }
        let (theirs, mine) = (original.winBackOffersTaken, account.winBackOffersTaken)
        if theirs != mine { take(.winBackDate, theirs, &account.winBackOffersTaken, if: dates[0] == dates[1]) }
        var requests = original.refundRequests
        for place in requests.indices {
            requests[place].transaction = ids[requests[place].transaction] ?? requests[place].transaction
        }
        take(.refundRequests, requests, &account.refundRequests, if: account.refundRequests.isEmpty)
        self.account = account
    }

    private mutating func copy(_ theirs: Subscription, onto mine: inout Subscription) {
        compare(theirs, mine)
        copyState(theirs, onto: &mine)
        copyAnchor(theirs, onto: &mine)
        copyOffers(theirs, onto: &mine)
        copyPrices(theirs, onto: &mine)
        if theirs.extensions.count != mine.extensions.count {
            take(.extensions, theirs.extensions, &mine.extensions, if: mine.extensions.isEmpty)
        } else {
            take(.extensionRequests, theirs.extensions, &mine.extensions)
        }
        // The mark of an earlier period has no effect.
        let missed = theirs.missedCharge == theirs.renewalDate ? theirs.missedCharge : nil
        take(.missedCharge, missed, &mine.missedCharge, if: mine.missedCharge == nil)
        take(.sharing, theirs.isShared, &mine.isShared, if: mine.isShared)
    }

    // MARK: The state

    private mutating func copyState(_ theirs: Subscription, onto mine: inout Subscription) {
        let state = theirs.state.map { row in ids[row.id].flatMap { rows[$0] } ?? row }
        differ("status", state.status, mine.status)
        differ("latest period", state.latest, mine.state.latest)
        differ("period before", previous(state), previous(mine.state))
        guard state.status == mine.status, state.latest == mine.state.latest else { return }
        switch (theirs.state, mine.state) {
        case (.revoked(let latest, _, let before), .revoked(let own, let previous, var resumes)):
            // A refund hides the state at its time, unless the period had not ended: then the state was active.
            let hadEnded = latest.transaction.revocation.map { $0.date >= latest.end } ?? false
            take(.reversal, before, &resumes, if: hadEnded)
            mine.state = .revoked(own, previous: previous, resumes: resumes)
        case (.gracePeriod(_, let until, let last), .gracePeriod(let latest, let own, var retryUntil)):
            differ("end of grace", until, own)
            take(.endOfRetries, last, &retryUntil)
            mine.state = .gracePeriod(latest, until: own, retryUntil: retryUntil)
        case (.billingRetry(_, let last, let ended), .billingRetry(let latest, var until, var graceEnded)):
            take(.endOfRetries, last, &until)
            take(.pastGrace, ended, &graceEnded, if: !policy.keepsGraceDate)
            mine.state = .billingRetry(latest, until: until, graceEnded: graceEnded)
        case (.expired(_, let reason, let end), .expired(let latest, var own, _)):
            // No answer and no rule depends on the instant of the expiration.
            take(Self.fact(of: reason), reason, &own, if: isHidden(reason, own))
            mine.state = .expired(latest, own, at: end)
        default: break
        }
    }

    /// The period before the latest, until the latest begins. Later, no answer and no rule depends on it.
    private func previous(_ state: SubscriptionState) -> SubscriptionPeriod? {
        state.latest.start > instant ? state.previous : nil
    }

    private static func fact(of reason: ExpirationReason) -> HiddenFact {
        if case .billing = reason { .pastGrace } else { .leftInGrace }
    }

    private func isHidden(_ theirs: ExpirationReason, _ mine: ExpirationReason) -> Bool {
        switch (theirs, mine) {
        case (.customer, .customer): true
        case (.billing, .billing): !policy.keepsGraceDate
        default: false
        }
    }

    /// Only the day and the hour that the next period takes over have an effect.
    private mutating func copyAnchor(_ theirs: Subscription, onto mine: inout Subscription) {
        let anchors = [theirs, mine].map { $0.anchor.resumed(at: theirs.renewalDate) }
        guard anchors[0] != anchors[1] else { return }
        let latest = theirs.latestTransaction
        let isOwnDay = theirs.anchor.day == Period.anchorDay(of: latest.purchaseDate)
        take(.anchorDay, theirs.anchor, &mine.anchor, if: isOwnDay && latest.reason == .renewal)
    }

    // MARK: Offers and prices

    private mutating func copyOffers(_ theirs: Subscription, onto mine: inout Subscription) {
        take(.displacedOffer, theirs.suspendedOffers, &mine.suspendedOffers, if: mine.suspendedOffers.isEmpty)
        differ("offer of the next period", theirs.pendingOffers.first?.offer, mine.pendingOffers.first?.offer)
        if let count = theirs.pendingOffers.first?.remainingPeriods, !mine.pendingOffers.isEmpty {
            take(.remainingPeriods, count, &mine.pendingOffers[0].remainingPeriods)
        }
        let rest = Array(theirs.pendingOffers.dropFirst())
        var own = Array(mine.pendingOffers.dropFirst())
        take(.secondOffer, rest, &own, if: own.isEmpty)
        mine.pendingOffers = mine.pendingOffers.prefix(1) + own
    }

    private mutating func copyPrices(_ theirs: Subscription, onto mine: inout Subscription) {
        take(.earlierIncrease, theirs.lastPriceIncrease, &mine.lastPriceIncrease)
        take(.agreedPrice, theirs.agreedPrice, &mine.agreedPrice, if: !showsAgreedPrice(theirs))
        guard var increase = mine.priceIncrease, let other = theirs.priceIncrease else {
            let fact = changesPlan(theirs) ? HiddenFact.increaseOfOtherPlan : .scheduledIncrease
            let isScheduled = theirs.priceIncrease?.stage == .scheduled
            let isHidden = mine.priceIncrease == nil && (isScheduled || changesPlan(theirs))
            return take(fact, theirs.priceIncrease, &mine.priceIncrease, if: isHidden)
        }
        differ("status of the price increase", other.stage, increase.stage)
        let counts = [other, increase].map { $0.effectiveFrom.map { theirs.renewalDate >= $0 } ?? false }
        take(.priceOfIncrease, other.price, &increase.price, if: !theirs.showsFullPrice || !counts[0])
        // An earlier day has the same effect as that of the next renewal.
        if counts != [true, true] {
            take(.dateOfIncrease, other.effectiveFrom, &increase.effectiveFrom, if: isWeekly(theirs))
        }
        take(.consentToIncrease, other.needsConsent, &increase.needsConsent, if: other.stage == .accepted)
        // The instant has no effect after the notification.
        increase.scheduledAt = other.scheduledAt
        mine.priceIncrease = increase
    }

    /// Whether renewal info shows the price that the customer agreed to. It shows the price in the catalog if that is
    /// lower.
    private func showsAgreedPrice(_ subscription: Subscription) -> Bool {
        guard subscription.showsFullPrice, !subscription.isCommitted, subscription.priceIncrease == nil,
            let product = catalog.products[subscription.latestTransaction.productID],
            let agreed = subscription.agreedPrice
        else { return false }
        let storefront = subscription.latestTransaction.storefront
        return agreed.milliunits < catalog.price(product.prices, in: storefront).milliunits
    }

    private func changesPlan(_ subscription: Subscription) -> Bool {
        subscription.preference.productID != subscription.latestTransaction.productID
    }

    private func isWeekly(_ subscription: Subscription) -> Bool {
        catalog.products[subscription.latestTransaction.productID]?.plan?.period.months == nil
    }

    // MARK: Everything else

    private mutating func compare(_ theirs: Subscription, _ mine: Subscription) {
        differ("product of the next period", theirs.preference.productID, mine.preference.productID)
        differ("auto-renew", theirs.preference.autoRenews, mine.preference.autoRenews)
        differ("renewal", theirs.willRenew, mine.willRenew)
        differ("billing plan", theirs.preference.billingPlan, mine.preference.billingPlan)
        differ("recentStart", theirs.recentStart, mine.recentStart)
        differ("originalPurchaseDate", theirs.originalPurchaseDate, mine.originalPurchaseDate)
        differ("appAccountToken", theirs.appAccountToken, mine.appAccountToken)
        differ("paidService", theirs.paidService, mine.paidService)
        differ("paidPeriods", theirs.paidPeriods, mine.paidPeriods)
        differ("renewals", theirs.renewals, mine.renewals)
        differ("replaced refunds", Set(theirs.replacedRefunds.map { ids[$0] ?? $0 }), Set(mine.replacedRefunds))
    }

    private mutating func compareAccount(_ original: Account) {
        differ("subscriptions", original.subscriptions.count, account.subscriptions.count)
        differ("shared subscriptions", original.sharedSubscriptions.count, account.sharedSubscriptions.count)
        differ("introductory offers", original.introductoryOffersUsed, account.introductoryOffersUsed)
        differ("transactions", original.rowCount, account.rowCount)
        differ("products", Self.products(of: original), Self.products(of: account))
        differ("app transaction", original.appTransaction, account.appTransaction)
    }

    /// The non-consumables in the order of their purchases, without the facts about families.
    private static func products(of account: Account) -> [String] {
        account.ownedProducts.sorted { $0.transaction < $1.transaction }
            .map { "\($0.productID) \($0.ownership.rawValue) \($0.isRevoked)" }
    }
}

extension Subscription {
    /// Whether renewal info shows the price of a full period of the latest product.
    fileprivate var showsFullPrice: Bool {
        preference.autoRenews && pendingOffers.isEmpty && preference.productID == latestTransaction.productID
    }

    /// Whether a month of a commitment is the latest period, or the next one is. Its price is that of a month, and the
    /// agreed price has no effect.
    fileprivate var isCommitted: Bool { latestTransaction.commitment != nil || preference.billingPlan == .monthly }
}
