/// Selling: one-time products, first purchases of subscriptions, and resubscriptions.
extension Ledger {
    mutating func buy(_ purchase: Purchase, by id: AccountID) throws(Refusal) {
        guard let product = catalog.products[purchase.productID] else { throw .unknownProduct(purchase.productID) }
        guard product.isForSale else { throw .productNotForSale(product.id) }
        let most = product.type == .consumable ? 10 : 1
        guard (1...most).contains(purchase.quantity) else {
            throw .badQuantity(purchase.quantity, most: most, type: product.type)
        }
        var purchase = purchase
        if let text = purchase.appAccountToken {
            guard let token = UUIDText.canonical(text) else { throw .badAppAccountToken(text) }
            purchase.appAccountToken = token
        }
        if let nonce = purchase.offerNonce { try useUp(nonce, by: id) }
        if product.plan == nil {
            try buyOnce(purchase, product, by: id)
        } else {
            try subscribe(purchase, product, by: id)
        }
    }

    /// A signature of the app's server is good for one purchase. More nonces are kept than a customer could use up
    /// while their signatures are good.
    private mutating func useUp(_ nonce: String, by id: AccountID) throws(Refusal) {
        if self[id].offerNonces.contains(nonce) { throw .offerSignatureUsed(nonce: nonce) }
        self[id].offerNonces.append(nonce)
        if self[id].offerNonces.count > 256 { self[id].offerNonces.removeFirst() }
    }

    // MARK: One-time products

    private mutating func buyOnce(_ purchase: Purchase, _ product: Product, by id: AccountID) throws(Refusal) {
        if product.type == .nonConsumable, let owned = self[id].owned[product.id], !owned.isRevoked,
            owned.ownership == .purchased
        {
            throw .alreadyOwned(product: product.id)
        }
        let offer = try oneTimeOffer(purchase.offer, product, id)
        let row = try sell(purchase, product, to: id, offer: offer.map { PendingOffer(offer: $0, remainingPeriods: 1) })
        if product.type == .nonConsumable {
            self[id].owned[product.id] = OwnedProduct(transaction: row.id, ownership: .purchased)
        }
        note(.charged(row.id))
        shareWithFamily(row, product)
    }

    private mutating func oneTimeOffer(
        _ choice: OfferChoice,
        _ product: Product,
        _ id: AccountID
    ) throws(Refusal) -> Offer? {
        switch choice {
        case .automatic, .none: return nil
        case .introductory: throw .unknownOffer(product: product.id, kind: .introductory, id: nil)
        case .promotional(let offer): throw .unknownOffer(product: product.id, kind: .promotional, id: offer)
        case .winBack(let offer): throw .unknownOffer(product: product.id, kind: .winBack, id: offer)
        case .code(let code): return try redeem(code, product, by: id, as: nil)
        }
    }

    // MARK: Subscriptions

    private mutating func subscribe(_ purchase: Purchase, _ product: Product, by id: AccountID) throws(Refusal) {
        guard let plan = product.plan else { return }
        let held = self[id].subscription(toGroup: plan.groupID, .purchased)
        let offers = try chooseOffers(purchase.offer, product, by: id, holding: held)
        if let held, held.status(at: now) == .active {
            return try change(held, to: product, purchase, offer: offers.first, by: id)
        }
        let row = try sell(purchase, product, to: id, offer: offers.first, continuing: held)
        let paid = paidMilliseconds(row)
        // A refund ended the service before the period did.
        let gap = held.map { held in
            now.milliseconds - min(held.renewalDate, held.current.revocation?.date ?? held.renewalDate).milliseconds
        }
        let continuesRun = gap.map { $0 <= policy.longestGap } ?? false
        self[id].put(
            Subscription(
                groupID: plan.groupID,
                ownership: .purchased,
                originalID: row.originalID,
                originalPurchaseDate: row.originalPurchaseDate,
                current: row,
                autoRenews: true,
                nextProductID: product.id,
                pendingOffer: offers.first?.afterFirstPeriod ?? offers.dropFirst().first,
                recentStart: continuesRun ? (held?.recentStart ?? row.purchaseDate) : row.purchaseDate,
                anchorDay: Period.anchorDay(of: row.purchaseDate),
                appAccountToken: row.appAccountToken,
                paidService: (held?.paidService ?? 0) + paid,
                sharedFrom: nil
            )
        )
        recordUse(of: offers, plan.groupID, by: id)
        note(held == nil ? .subscribed(row.id) : .resubscribed(row.id))
        shareWithFamily(row, product)
    }

    /// The offers that a purchase takes, in the order in which they apply; most take one or none.
    private mutating func chooseOffers(
        _ choice: OfferChoice,
        _ product: Product,
        by id: AccountID,
        holding held: Subscription?
    ) throws(Refusal) -> [PendingOffer] {
        guard let group = product.plan?.groupID else { return [] }
        let isActive = held?.status(at: now) == .active
        let introductory = product.offer(.introductory)
        let mayIntroduce = !isActive && !self[id].introductoryOffersUsed.contains(group)
        switch choice {
        case .none:
            return []
        case .automatic:
            guard mayIntroduce, let introductory else { return [] }
            return [PendingOffer(introductory)]
        case .introductory(let evenIfUsed):
            guard let introductory else { throw .unknownOffer(product: product.id, kind: .introductory, id: nil) }
            if isActive { throw .offerNeedsNoSubscription(kind: .introductory) }
            guard mayIntroduce || evenIfUsed else { throw .introductoryOfferUsed(group: group) }
            return [PendingOffer(introductory)]
        case .promotional(let offerID):
            guard let offer = product.offer(.promotional, id: offerID) else {
                throw .unknownOffer(product: product.id, kind: .promotional, id: offerID)
            }
            if held == nil { throw .offerNeedsEarlierSubscription(kind: .promotional) }
            return [PendingOffer(offer)]
        case .code(let offerID):
            let audience: CodeAudience = held == nil ? .new : isActive ? .existing : .expired
            let offer = try redeem(offerID, product, by: id, as: audience)
            guard offer.isStackable, mayIntroduce, let introductory else { return [PendingOffer(offer)] }
            return [PendingOffer(introductory), PendingOffer(offer)]
        case .winBack(let offerID):
            guard let offer = product.offer(.winBack, id: offerID) else {
                throw .unknownOffer(product: product.id, kind: .winBack, id: offerID)
            }
            guard let held else { throw .offerNeedsEarlierSubscription(kind: .winBack) }
            if isActive { throw .offerNeedsNoSubscription(kind: .winBack) }
            guard policy.allows(winBack: offer, for: held, of: self[id], at: now) else {
                throw .winBackNotYet(offer: offerID)
            }
            return [PendingOffer(offer)]
        }
    }

    /// Redeems a code offer: once for each customer, within its audience and its limit.
    private mutating func redeem(
        _ offerID: String,
        _ product: Product,
        by id: AccountID,
        as audience: CodeAudience?
    ) throws(Refusal) -> Offer {
        guard let offer = product.offer(.code, id: offerID) else {
            throw .unknownOffer(product: product.id, kind: .code, id: offerID)
        }
        if let audience, !offer.audience.isEmpty, !offer.audience.contains(audience) {
            throw .codeNotForAudience(offer: offerID, audience: offer.audience, customerIs: audience)
        }
        guard self[id].codesRedeemed.insert("\(product.id)/\(offerID)").inserted else {
            throw .codeAlreadyRedeemed(offer: offerID)
        }
        if let limit = offer.redemptionLimit {
            claim(
                CodeRedemption(
                    app: self[id].app,
                    realm: self[id].realm,
                    productID: product.id,
                    offerID: offerID,
                    limit: limit
                )
            )
        }
        return offer
    }

    mutating func recordUse(of offers: [PendingOffer], _ group: String, by id: AccountID) {
        for pending in offers {
            switch pending.offer.kind {
            case .introductory: self[id].introductoryOffersUsed.insert(group)
            case .winBack: self[id].winBackOffersTaken[group] = now
            case .promotional, .code: break
            }
        }
    }

    // MARK: The row

    /// Enters the row of a purchase.
    mutating func sell(
        _ purchase: Purchase,
        _ product: Product,
        to id: AccountID,
        offer: PendingOffer?,
        continuing held: Subscription? = nil
    ) throws(Refusal) -> Transaction {
        let account = self[id]
        let storefront = purchase.storefront ?? account.storefront
        let price = try price(of: purchase, product, offer?.offer, storefront)
        let purchaseDate = now.wholeSecond
        let transaction = identifiers.transaction(of: id, realm: account.realm, storefront: storefront)
        let isSubscription = product.plan != nil
        let row = Transaction(
            id: transaction,
            originalID: held?.originalID ?? transaction,
            account: id,
            change: 0,
            lineItem: isSubscription
                ? identifiers.lineItem(of: id, realm: account.realm, storefront: storefront) : nil,
            order: purchase.order ?? identifiers.order(of: id),
            productID: product.id,
            groupID: product.plan?.groupID,
            type: product.type,
            purchaseDate: purchaseDate,
            originalPurchaseDate: held?.originalPurchaseDate ?? purchaseDate,
            expiresDate: product.plan.map { plan in firstPeriod(plan, offer?.offer).end(from: purchaseDate) },
            quantity: purchase.quantity,
            appAccountToken: purchase.appAccountToken,
            ownership: .purchased,
            reason: .purchase,
            storefront: storefront,
            price: price,
            offer: offer.map { AppliedOffer($0.offer) },
            isUpgraded: false,
            revocation: nil,
            refundNumber: nil,
            isFinished: purchase.isFinished,
            sharedFrom: nil,
            modifiedDate: now
        )
        return enter(row)
    }

    /// The first period: the offer's own length when it is free or paid up front, else the product's.
    private func firstPeriod(_ plan: SubscriptionPlan, _ offer: Offer?) -> Period {
        guard let offer, offer.mode != .payAsYouGo, let whole = offer.wholePeriod else { return plan.period }
        return whole
    }

    private func price(
        of purchase: Purchase,
        _ product: Product,
        _ offer: Offer?,
        _ storefront: Storefront
    ) throws(Refusal) -> Money {
        let full = product.prices[storefront]
        let discounted = offer.map { $0.prices?[storefront] ?? Money(milliunits: 0, currency: full.currency) }
        let piece = purchase.price ?? discounted ?? full
        guard piece.milliunits >= 0, let total = piece.times(purchase.quantity) else {
            throw .badPrice(milliunits: piece.milliunits)
        }
        return total
    }

    /// Milliseconds of service that a row paid for; nothing when it was free.
    func paidMilliseconds(_ row: Transaction) -> Int64 {
        guard let end = row.expiresDate, (row.price?.milliunits ?? 0) > 0 else { return 0 }
        return end.milliseconds - row.purchaseDate.milliseconds
    }
}

extension PendingOffer {
    /// An offer with all its periods to come.
    init(_ offer: Offer) {
        self.init(offer: offer, remainingPeriods: offer.mode == .payAsYouGo ? offer.periodCount : 1)
    }

    /// What is left of it once a period has carried it; nil when nothing is.
    var afterFirstPeriod: PendingOffer? {
        remainingPeriods > 1 ? PendingOffer(offer: offer, remainingPeriods: remainingPeriods - 1) : nil
    }
}
