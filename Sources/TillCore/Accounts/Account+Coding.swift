/// The stored form of an account. Data of an older version may lack keys that later versions added. Default values are
/// omitted to keep the account small.
extension Account {
    private enum Key: String, CodingKey {
        case id, app, customer, storefront, version, changeNumber, refundNumber, rowCount, lastEvent
        case appTransaction, subscriptions, sharedSubscriptions, owned
        case ownedProducts = "holdings"
        case introductoryOffersUsed, codesRedeemed, offerNonces
        case winBackOffersTaken, family, card, asksToBuy, heldPurchases, heldNumber, refundRequests
        case notificationNumber, lastSigned, clock, jobsDone, foreignID
        case environment = "realm"
    }

    /// Reads an account that this version or an older version wrote.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        self.init(
            id: try values.decode(AccountID.self, forKey: .id),
            environment: try values.decode(StoreEnvironment.self, forKey: .environment),
            app: try values.decode(String.self, forKey: .app),
            customer: try values.decode(String.self, forKey: .customer),
            storefront: try values.decode(Storefront.self, forKey: .storefront),
            at: try values.decode(Timestamp.self, forKey: .lastEvent)
        )
        version = try values.decode(Int64.self, forKey: .version)
        changeNumber = try values.decode(Int64.self, forKey: .changeNumber)
        refundNumber = try values.decode(Int64.self, forKey: .refundNumber)
        rowCount = try values.decode(Int64.self, forKey: .rowCount)
        appTransaction = try values.decodeIfPresent(AppTransaction.self, forKey: .appTransaction)
        func read<Value: Decodable>(_ key: Key, or none: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? none
        }
        do {
            for stored in try read(.subscriptions, or: [StoredSubscription]()) {
                switch stored {
                case .bought(let subscription): subscriptions.append(subscription)
                case .shared(let copy): sharedSubscriptions.append(copy)
                }
            }
            sharedSubscriptions += try read(.sharedSubscriptions, or: [])
        } catch let damaged as DamagedSubscription {
            damageFound = "its subscription \(damaged.reason)"
        }
        ownedProducts = try read(.ownedProducts, or: [])
        if let owned = try values.decodeIfPresent([String: OwnedProduct010].self, forKey: .owned) {
            ownedProducts = owned.sorted { $0.value.transaction < $1.value.transaction }.map { $1.ownedProduct(of: $0) }
        }
        introductoryOffersUsed = try read(.introductoryOffersUsed, or: [])
        codesRedeemed = try read(.codesRedeemed, or: [])
        offerNonces = try read(.offerNonces, or: [])
        winBackOffersTaken = try read(.winBackOffersTaken, or: [:])
        family = try values.decodeIfPresent(FamilyMembership.self, forKey: .family)
        card = try read(.card, or: .accepted)
        asksToBuy = try read(.asksToBuy, or: false)
        heldPurchases = try read(.heldPurchases, or: [])
        heldNumber = try read(.heldNumber, or: 0)
        refundRequests = try read(.refundRequests, or: [])
        notificationNumber = try read(.notificationNumber, or: 0)
        lastSigned = try values.decodeIfPresent(Timestamp.self, forKey: .lastSigned)
        clock = try values.decodeIfPresent(String.self, forKey: .clock)
        jobsDone = try read(.jobsDone, or: [])
        foreignID = try values.decodeIfPresent(String.self, forKey: .foreignID)
    }

    /// Writes only the values that differ from their defaults.
    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(id, forKey: .id)
        try values.encode(environment, forKey: .environment)
        try values.encode(app, forKey: .app)
        try values.encode(customer, forKey: .customer)
        try values.encode(storefront, forKey: .storefront)
        try values.encode(version, forKey: .version)
        try values.encode(changeNumber, forKey: .changeNumber)
        try values.encode(refundNumber, forKey: .refundNumber)
        try values.encode(rowCount, forKey: .rowCount)
        try values.encode(lastEvent, forKey: .lastEvent)
        try values.encodeIfPresent(appTransaction, forKey: .appTransaction)
        if !subscriptions.isEmpty { try values.encode(subscriptions, forKey: .subscriptions) }
        if !sharedSubscriptions.isEmpty { try values.encode(sharedSubscriptions, forKey: .sharedSubscriptions) }
        if !ownedProducts.isEmpty { try values.encode(ownedProducts, forKey: .ownedProducts) }
        if !introductoryOffersUsed.isEmpty {
            try values.encode(introductoryOffersUsed.sorted(), forKey: .introductoryOffersUsed)
        }
        if !codesRedeemed.isEmpty { try values.encode(codesRedeemed.sorted(), forKey: .codesRedeemed) }
        if !offerNonces.isEmpty { try values.encode(offerNonces, forKey: .offerNonces) }
        if !winBackOffersTaken.isEmpty { try values.encode(winBackOffersTaken, forKey: .winBackOffersTaken) }
        try values.encodeIfPresent(family, forKey: .family)
        if card != .accepted { try values.encode(card, forKey: .card) }
        if asksToBuy { try values.encode(asksToBuy, forKey: .asksToBuy) }
        if !heldPurchases.isEmpty { try values.encode(heldPurchases, forKey: .heldPurchases) }
        if heldNumber > 0 { try values.encode(heldNumber, forKey: .heldNumber) }
        if !refundRequests.isEmpty { try values.encode(refundRequests, forKey: .refundRequests) }
        if notificationNumber > 0 { try values.encode(notificationNumber, forKey: .notificationNumber) }
        try values.encodeIfPresent(lastSigned, forKey: .lastSigned)
        try values.encodeIfPresent(clock, forKey: .clock)
        if !jobsDone.isEmpty { try values.encode(jobsDone, forKey: .jobsDone) }
        try values.encodeIfPresent(foreignID, forKey: .foreignID)
    }
}

/// A stored subscription. This version stores only bought subscriptions here; version 0.1.0 also stored shared ones
/// here.
private enum StoredSubscription: Decodable {
    case bought(Subscription)
    case shared(SharedSubscription)

    init(from decoder: any Decoder) throws {
        guard try Subscription010.isForm(of: decoder) else {
            self = .bought(try Subscription(from: decoder))
            return
        }
        switch try Subscription010(from: decoder).present {
        case .bought(let subscription): self = .bought(subscription)
        case .shared(let copy): self = .shared(copy)
        }
    }
}
