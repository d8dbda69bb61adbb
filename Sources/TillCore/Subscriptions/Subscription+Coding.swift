/// The stored form of a subscription in its account. It omits default values to keep the account small.
extension Subscription: Codable {
    private enum Key: String, CodingKey {
        case groupID, originalID, originalPurchaseDate, state, preference
        case suspendedOffers = "offersSetAside"
        case pendingOffers, recentStart, anchorDay, anchorTime, appAccountToken, paidService,
            paidPeriods
        case agreedPrice, renewals, priceIncrease, lastPriceIncrease, extensions, replacedRefunds, missedCharge
        case isShared
    }

    /// Reads a subscription.
    ///
    /// - Throws: `DamagedSubscription` if the stored state is inconsistent.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            groupID: try values.decode(String.self, forKey: .groupID),
            originalID: try values.decode(TransactionID.self, forKey: .originalID),
            originalPurchaseDate: try values.decode(Timestamp.self, forKey: .originalPurchaseDate),
            state: try values.decode(SubscriptionState.self, forKey: .state),
            preference: try values.decode(RenewalPreference.self, forKey: .preference),
            recentStart: try values.decode(Timestamp.self, forKey: .recentStart),
            anchor: PeriodAnchor(
                day: try values.decode(Int.self, forKey: .anchorDay),
                time: try values.decode(Int64.self, forKey: .anchorTime)
            )
        )
        func read<Value: Decodable>(_ key: Key, or none: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? none
        }
        pendingOffers = try read(.pendingOffers, or: [])
        suspendedOffers = try read(.suspendedOffers, or: [])
        appAccountToken = try values.decodeIfPresent(String.self, forKey: .appAccountToken)
        paidService = try read(.paidService, or: 0)
        paidPeriods = try read(.paidPeriods, or: 0)
        agreedPrice = try values.decodeIfPresent(Money.self, forKey: .agreedPrice)
        renewals = try read(.renewals, or: 0)
        priceIncrease = try values.decodeIfPresent(PriceIncrease.self, forKey: .priceIncrease)
        lastPriceIncrease = try values.decodeIfPresent(Timestamp.self, forKey: .lastPriceIncrease)
        extensions = try read(.extensions, or: [])
        replacedRefunds = try read(.replacedRefunds, or: [])
        missedCharge = try values.decodeIfPresent(Timestamp.self, forKey: .missedCharge)
        isShared = try read(.isShared, or: true)
    }

    /// Writes only the values that differ from their defaults.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(groupID, forKey: .groupID)
        try values.encode(originalID, forKey: .originalID)
        try values.encode(originalPurchaseDate, forKey: .originalPurchaseDate)
        try values.encode(state, forKey: .state)
        try values.encode(preference, forKey: .preference)
        try values.encode(recentStart, forKey: .recentStart)
        try values.encode(anchor.day, forKey: .anchorDay)
        try values.encode(anchor.time, forKey: .anchorTime)
        if !pendingOffers.isEmpty { try values.encode(pendingOffers, forKey: .pendingOffers) }
        if !suspendedOffers.isEmpty { try values.encode(suspendedOffers, forKey: .suspendedOffers) }
        try values.encodeIfPresent(appAccountToken, forKey: .appAccountToken)
        if paidService != 0 { try values.encode(paidService, forKey: .paidService) }
        if paidPeriods != 0 { try values.encode(paidPeriods, forKey: .paidPeriods) }
        try values.encodeIfPresent(agreedPrice, forKey: .agreedPrice)
        if renewals > 0 { try values.encode(renewals, forKey: .renewals) }
        try values.encodeIfPresent(priceIncrease, forKey: .priceIncrease)
        try values.encodeIfPresent(lastPriceIncrease, forKey: .lastPriceIncrease)
        if !extensions.isEmpty { try values.encode(extensions, forKey: .extensions) }
        if !replacedRefunds.isEmpty { try values.encode(replacedRefunds, forKey: .replacedRefunds) }
        try values.encodeIfPresent(missedCharge, forKey: .missedCharge)
        if !isShared { try values.encode(isShared, forKey: .isShared) }
    }
}

extension SharedSubscription: Codable {
    private enum Key: String, CodingKey {
        case groupID, originalID, originalPurchaseDate, owner, state, preference, recentStart
    }

    /// Reads a shared subscription. If there is no owner, the purchaser is a customer outside this server.
    ///
    /// - Throws: `DamagedSubscription` if the stored state is inconsistent.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let owner = try values.decodeIfPresent(AccountID.self, forKey: .owner)
        self.init(
            groupID: try values.decode(String.self, forKey: .groupID),
            originalID: try values.decode(TransactionID.self, forKey: .originalID),
            originalPurchaseDate: try values.decode(Timestamp.self, forKey: .originalPurchaseDate),
            source: owner.map { .account($0) } ?? .external,
            state: try values.decode(SubscriptionState.self, forKey: .state),
            preference: try values.decode(RenewalPreference.self, forKey: .preference),
            recentStart: try values.decode(Timestamp.self, forKey: .recentStart)
        )
    }

    /// Writes all values.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(groupID, forKey: .groupID)
        try values.encode(originalID, forKey: .originalID)
        try values.encode(originalPurchaseDate, forKey: .originalPurchaseDate)
        try values.encodeIfPresent(owner, forKey: .owner)
        try values.encode(state, forKey: .state)
        try values.encode(preference, forKey: .preference)
        try values.encode(recentStart, forKey: .recentStart)
    }
}
