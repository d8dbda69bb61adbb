/// How a subscription lies in its account's state: what came later may be missing, what says nothing is left out.
extension Subscription {
    private enum Key: String, CodingKey {
        case groupID, ownership, originalID, originalPurchaseDate, running, autoRenews, nextProductID
        case pendingOffers, pendingOffer, offersSetAside, recentStart, anchorDay, anchorTime, appAccountToken
        case paidService, paidPeriods
        case sharedFrom, agreedPrice, renewals, trouble, ended, priceIncrease, lastPriceIncrease, extensions
        case nextBillingPlan, commitmentRenews, isShared, wasLeftInGrace
        case latestTransaction = "current"
    }

    /// Reads a state of this or an older version.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let latestTransaction = try values.decode(Transaction.self, forKey: .latestTransaction)
        // Version 0.1.0 knew no time of day: the running period began at it.
        let time = try values.decodeIfPresent(Int64.self, forKey: .anchorTime)
        self.init(
            groupID: try values.decode(String.self, forKey: .groupID),
            ownership: try values.decode(Ownership.self, forKey: .ownership),
            originalID: try values.decode(TransactionID.self, forKey: .originalID),
            originalPurchaseDate: try values.decode(Timestamp.self, forKey: .originalPurchaseDate),
            latestTransaction: latestTransaction,
            running: try values.decodeIfPresent(Transaction.self, forKey: .running),
            autoRenews: try values.decode(Bool.self, forKey: .autoRenews),
            nextProductID: try values.decode(String.self, forKey: .nextProductID),
            recentStart: try values.decode(Timestamp.self, forKey: .recentStart),
            anchor: PeriodAnchor(
                day: try values.decode(Int.self, forKey: .anchorDay),
                time: time ?? Period.timeOfDay(of: latestTransaction.purchaseDate)
            ),
            appAccountToken: try values.decodeIfPresent(String.self, forKey: .appAccountToken),
            paidService: try values.decode(Int64.self, forKey: .paidService),
            sharedFrom: try values.decodeIfPresent(AccountID.self, forKey: .sharedFrom)
        )
        func read<Value: Decodable>(_ key: Key, or none: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? none
        }
        pendingOffers = try read(.pendingOffers, or: [])
        // The first version had room for one.
        if let only = try values.decodeIfPresent(PendingOffer.self, forKey: .pendingOffer) { pendingOffers = [only] }
        offersSetAside = try read(.offersSetAside, or: [])
        agreedPrice = try values.decodeIfPresent(Money.self, forKey: .agreedPrice)
        renewals = try read(.renewals, or: 0)
        trouble = try values.decodeIfPresent(BillingTrouble.self, forKey: .trouble)
        ended = try values.decodeIfPresent(ExpirationIntent.self, forKey: .ended)
        priceIncrease = try values.decodeIfPresent(PriceIncrease.self, forKey: .priceIncrease)
        lastPriceIncrease = try values.decodeIfPresent(Timestamp.self, forKey: .lastPriceIncrease)
        extensions = try read(.extensions, or: [])
        nextBillingPlan = try values.decodeIfPresent(BillingPlan.Kind.self, forKey: .nextBillingPlan)
        commitmentRenews = try read(.commitmentRenews, or: true)
        isShared = try read(.isShared, or: true)
        wasLeftInGrace = try read(.wasLeftInGrace, or: false)
        paidPeriods = try read(.paidPeriods, or: leastPaidPeriods)
    }

    /// How many periods were paid at least, by their length: version 0.1.0 did not count them. A row that was extended
    /// is longer than what was paid, so that an earlier period may be overlooked until the next renewal.
    private var leastPaidPeriods: Int {
        let paid = [latestTransaction, running].compactMap { $0 }.filter(\.isPaid)
        let length = paid.reduce(0) { $0 &+ $1.paidMilliseconds }
        return paid.count + (paidService > length ? 1 : 0)
    }

    /// Writes what says something.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(groupID, forKey: .groupID)
        try values.encode(ownership, forKey: .ownership)
        try values.encode(originalID, forKey: .originalID)
        try values.encode(originalPurchaseDate, forKey: .originalPurchaseDate)
        try values.encode(latestTransaction, forKey: .latestTransaction)
        try values.encodeIfPresent(running, forKey: .running)
        try values.encode(autoRenews, forKey: .autoRenews)
        try values.encode(nextProductID, forKey: .nextProductID)
        if !pendingOffers.isEmpty { try values.encode(pendingOffers, forKey: .pendingOffers) }
        if !offersSetAside.isEmpty { try values.encode(offersSetAside, forKey: .offersSetAside) }
        try values.encode(recentStart, forKey: .recentStart)
        try values.encode(anchor.day, forKey: .anchorDay)
        try values.encode(anchor.time, forKey: .anchorTime)
        try values.encodeIfPresent(appAccountToken, forKey: .appAccountToken)
        try values.encode(paidService, forKey: .paidService)
        if paidPeriods > 0 { try values.encode(paidPeriods, forKey: .paidPeriods) }
        try values.encodeIfPresent(sharedFrom, forKey: .sharedFrom)
        try values.encodeIfPresent(agreedPrice, forKey: .agreedPrice)
        if renewals > 0 { try values.encode(renewals, forKey: .renewals) }
        try values.encodeIfPresent(trouble, forKey: .trouble)
        try values.encodeIfPresent(ended, forKey: .ended)
        try values.encodeIfPresent(priceIncrease, forKey: .priceIncrease)
        try values.encodeIfPresent(lastPriceIncrease, forKey: .lastPriceIncrease)
        if !extensions.isEmpty { try values.encode(extensions, forKey: .extensions) }
        try values.encodeIfPresent(nextBillingPlan, forKey: .nextBillingPlan)
        if !commitmentRenews { try values.encode(commitmentRenews, forKey: .commitmentRenews) }
        if !isShared { try values.encode(isShared, forKey: .isShared) }
        if wasLeftInGrace { try values.encode(wasLeftInGrace, forKey: .wasLeftInGrace) }
    }
}
