import TillCore

/// What no answer of the API shows: the closed list of docs/client/import.md. The law copies these facts from the
/// original to the rebuilt account, and everything else must be equal already.
struct HiddenFacts {
    /// The rebuilt account with the hidden facts of the original.
    private(set) var account: Account
    /// The hidden facts that differed.
    private(set) var copied: Set<String> = []
    /// The other facts that differ, which must be none.
    private(set) var unexplained: [String] = []

    private let ids: [TransactionID: TransactionID]
    private let rows: [TransactionID: Transaction]

    /// - Parameters:
    ///   - original: the account that was lived.
    ///   - rebuilt: the account that was imported.
    ///   - ids: the rebuilt account's ids of the original's transactions.
    ///   - rows: the rebuilt account's transactions.
    init(
        of original: Account,
        onto rebuilt: Account,
        ids: [TransactionID: TransactionID],
        rows: [TransactionID: Transaction]
    ) {
        account = rebuilt
        self.ids = ids
        self.rows = rows
        copyAccount(original)
        for theirs in original.subscriptions {
            guard let id = ids[theirs.originalID], var mine = account.subscription(id) else {
                unexplained.append("the subscription \(theirs.originalID.number) is missing")
                continue
            }
            copy(theirs, onto: &mine)
            account.put(mine)
        }
        compare(original)
    }

    private mutating func take<Value: Equatable>(_ name: String, _ theirs: Value, _ mine: inout Value) {
        guard theirs != mine else { return }
        copied.insert(name)
        mine = theirs
    }

    private mutating func copyAccount(_ original: Account) {
        // A local copy, because a function cannot change two parts of one value at once.
        var account = account
        take("card", original.card, &account.card)
        take("redeemed codes", original.codesRedeemed, &account.codesRedeemed)
        take("nonces of offers", original.offerNonces, &account.offerNonces)
        take("redeemed win-back offers", original.winBackOffersTaken, &account.winBackOffersTaken)
        take("Ask to Buy", original.asksToBuy, &account.asksToBuy)
        take("last event", original.lastEvent, &account.lastEvent)
        var requests = original.refundRequests
        for place in requests.indices {
            requests[place].transaction = ids[requests[place].transaction] ?? requests[place].transaction
        }
        take("open refund requests", requests, &account.refundRequests)
        self.account = account
    }

    private mutating func copy(_ theirs: Subscription, onto mine: inout Subscription) {
        take("anchor", theirs.anchor, &mine.anchor)
        take("extensions", theirs.extensions, &mine.extensions)
        take("price increase", theirs.priceIncrease, &mine.priceIncrease)
        take("last price increase", theirs.lastPriceIncrease, &mine.lastPriceIncrease)
        take("old price", theirs.agreedPrice, &mine.agreedPrice)
        take("queued offers", theirs.pendingOffers, &mine.pendingOffers)
        take("displaced offers", theirs.suspendedOffers, &mine.suspendedOffers)
        take("replaced refunds", theirs.replacedRefunds.map { ids[$0] ?? $0 }, &mine.replacedRefunds)
        take("missed charge", theirs.missedCharge, &mine.missedCharge)
        take("family sharing", theirs.isShared, &mine.isShared)
        let state = theirs.state.map { row in ids[row.id].flatMap { rows[$0] } ?? row }
        guard theirs.status == mine.status, state.latest == mine.state.latest else {
            unexplained.append("state: \(state) and \(mine.state)")
            return
        }
        take("end of retries, reversal", state, &mine.state)
    }

    private mutating func compare(_ original: Account) {
        func differ<Value: Equatable>(_ name: String, _ theirs: Value, _ mine: Value) {
            if theirs != mine { unexplained.append("\(name): \(theirs) and \(mine)") }
        }
        for theirs in original.subscriptions {
            guard let mine = ids[theirs.originalID].flatMap({ account.subscription($0) }) else { continue }
            differ("product of the next period", theirs.preference.productID, mine.preference.productID)
            differ("renewal", theirs.willRenew, mine.willRenew)
            differ("billing plan", theirs.preference.billingPlan, mine.preference.billingPlan)
            differ("recentStart", theirs.recentStart, mine.recentStart)
            differ("originalPurchaseDate", theirs.originalPurchaseDate, mine.originalPurchaseDate)
            differ("appAccountToken", theirs.appAccountToken, mine.appAccountToken)
            differ("paidService", theirs.paidService, mine.paidService)
            differ("paidPeriods", theirs.paidPeriods, mine.paidPeriods)
            differ("renewals", theirs.renewals, mine.renewals)
        }
        differ("subscriptions", original.subscriptions.count, account.subscriptions.count)
        differ("shared subscriptions", original.sharedSubscriptions.count, account.sharedSubscriptions.count)
        differ("introductory offers", original.introductoryOffersUsed, account.introductoryOffersUsed)
        differ("transactions", original.rowCount, account.rowCount)
        differ("products", original.productsOwned, account.productsOwned)
        differ("app transaction", original.appTransaction, account.appTransaction)
    }
}
