/// Selling: one-time products, first purchases of subscriptions, and resubscriptions.
extension Ledger {
    /// A customer buys: at once, or once somebody has agreed.
    mutating func buy(_ purchase: Purchase, by id: AccountID) throws(Refusal) {
        guard let product = catalog.products[purchase.productID] else { throw .unknownProduct(purchase.productID) }
        guard product.isForSale else { throw .productNotForSale(product.id) }
        try check(purchase.subscription, product, by: id)
        // What the customer owns needs no payment, and so nobody's permission.
        if self[id].owned(product.id) != nil { return try sell(purchase, by: id) }
        if purchase.isInterrupted { return try hold(purchase, because: .interrupted, by: id) }
        if self[id].asksToBuy { return try hold(purchase, because: .askToBuy, by: id) }
        try sell(purchase, by: id)
    }

    mutating func sell(_ purchase: Purchase, by id: AccountID) throws(Refusal) {
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
        if let owned = self[id].owned(product.id) {
            purchaseResult = .alreadyOwned
            return note(.alreadyOwned(owned.transaction))
        }
        if purchase.billingPlan == .monthly { try checkCommitment(product, purchase, by: id) }
        if self[id].card == .declined { throw .cardDeclined }
        if let nonce = purchase.offerNonce { try useUp(nonce, by: id) }
        if product.plan == nil {
            try buyOnce(purchase, product, by: id)
        } else {
            try subscribe(purchase, product, by: id)
        }
    }

    /// Plans that are billed monthly are not for every product, nor for every country.
    private func checkCommitment(_ product: Product, _ purchase: Purchase, by id: AccountID) throws(Refusal) {
        guard product.plan?.monthly != nil else { throw .noMonthlyPlan(product: product.id) }
        let storefront = purchase.storefront ?? self[id].storefront
        if !policy.commitmentsEverywhere, ["USA", "SGP"].contains(storefront.code) {
            throw .monthlyPlanNotSold(storefront: storefront.code)
        }
        switch purchase.offer {
        case .automatic, .none: break
        case .introductory: throw .unknownOffer(product: product.id, kind: .introductory, id: nil)
        case .promotional(let offer): throw .unknownOffer(product: product.id, kind: .promotional, id: offer)
        case .code(let offer): throw .unknownOffer(product: product.id, kind: .code, id: offer)
        case .winBack(let offer): throw .unknownOffer(product: product.id, kind: .winBack, id: offer)
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
        let offer = try oneTimeOffer(purchase.offer, product, id)
        try checkPrices(of: purchase, product, [offer].compactMap(\.self), by: id)
        let row = try enterSale(
            purchase,
            product,
            to: id,
            offer: offer.map { PendingOffer(offer: $0, remainingPeriods: 1) }
        )
        if product.type == .nonConsumable {
            self[id].holdings.append(Holding(productID: product.id, transaction: row.id, ownership: .purchased))
        }
        purchaseResult = .purchased
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
        let held = self[id].subscription(toGroup: plan.groupID)
        let offers = try chooseOffers(purchase, product, by: id, holding: held)
        if let held, held.status(at: now) == .active {
            // A customer who stays with the present product pays the agreed price.
            if held.latestTransaction.productID != product.id || !offers.isEmpty {
                try checkPrices(of: purchase, product, offers.map(\.offer), by: id)
            }
            try change(held, to: product, purchase, offers: offers, by: id)
            return recordUse(of: offers, plan.groupID, by: id)
        }
        // Buying again what could not be charged pays for it.
        if let held, held.isInTrouble(at: now), held.nextProductID == product.id, offers.isEmpty {
            purchaseResult = .recovered
            return recover(held, by: id)
        }
        try checkPrices(of: purchase, product, offers.map(\.offer), by: id)
        let row = try enterSale(purchase, product, to: id, offer: offers.first, continuing: held)
        // A refund ended the service before the period did.
        let gap = held.map { now.milliseconds - $0.endOfAccess.milliseconds }
        let continuesRun = gap.map { $0 <= policy.longestGap } ?? false
        var subscription = Subscription(
            groupID: plan.groupID,
            ownership: .purchased,
            originalID: row.originalID,
            originalPurchaseDate: row.originalPurchaseDate,
            latestTransaction: row,
            autoRenews: true,
            nextProductID: product.id,
            recentStart: continuesRun ? (held?.recentStart ?? row.purchaseDate) : row.purchaseDate,
            anchor: anchor(after: row, of: product, under: offers.first?.offer),
            appAccountToken: row.appAccountToken,
            paidService: held?.paidService ?? 0
        )
        subscription.paidPeriods = held?.paidPeriods ?? 0
        subscription.countPayment(of: row)
        subscription.pendingOffers = Ledger.remaining(of: offers)
        subscription.agreedPrice = catalog.price(product.prices, in: row.storefront)
        subscription.extensions = held?.extensions ?? []
        subscription.lastPriceIncrease = held?.lastPriceIncrease
        self[id].put(subscription)
        recordUse(of: offers, plan.groupID, by: id)
        purchaseResult = held == nil ? .subscribed : .resubscribed
        note(held == nil ? .subscribed(row.id) : .resubscribed(row.id))
        if let held, !product.isFamilyShareable { revokeCopies(of: held, by: id) }
        shareWithFamily(row, product)
    }

    /// The anchor of the period after the first one.
    func anchor(after row: Transaction, of product: Product, under offer: Offer?) -> PeriodAnchor {
        let anchor = PeriodAnchor(of: row.purchaseDate)
        guard row.commitment == nil, let plan = product.plan, let end = row.expiresDate else { return anchor }
        return anchor.following(plan.firstPeriod(under: offer), until: end)
    }

    /// What later periods carry once the first has carried the first offer.
    static func remaining(of offers: [PendingOffer]) -> [PendingOffer] {
        [offers.first?.afterOnePeriod].compactMap { $0 } + offers.dropFirst()
    }

    /// The offers that a purchase takes, in the order in which they apply; most take one or none.
    private mutating func chooseOffers(
        _ purchase: Purchase,
        _ product: Product,
        by id: AccountID,
        holding held: Subscription?
    ) throws(Refusal) -> [PendingOffer] {
        guard let group = product.plan?.groupID, purchase.billingPlan != .monthly else { return [] }
        let isActive = held?.status(at: now) == .active
        let introductory = product.offer(.introductory)
        let mayIntroduce = !isActive && !self[id].introductoryOffersUsed.contains(group)
        switch purchase.offer {
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
    mutating func enterSale(
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
        let isMonthly = purchase.billingPlan == .monthly
        let anchor = PeriodAnchor(of: purchaseDate)
        let row = Transaction(
            id: transaction,
            originalID: held?.originalID ?? transaction,
            account: id,
            change: 0,
            lineItem: product.plan == nil
                ? nil : identifiers.lineItem(of: id, realm: account.realm, storefront: storefront),
            order: purchase.order ?? identifiers.order(of: id),
            productID: product.id,
            groupID: product.plan?.groupID,
            type: product.type,
            purchaseDate: purchaseDate,
            originalPurchaseDate: held?.originalPurchaseDate ?? purchaseDate,
            expiresDate: product.plan.map { plan in
                let period = isMonthly ? Period(1, .month) : plan.firstPeriod(under: offer?.offer)
                return policy.end(of: period, from: purchaseDate, anchor: anchor)
            },
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
            modifiedDate: now,
            billingPlan: product.plan?.monthly == nil ? nil : isMonthly ? .monthly : .billedUpfront,
            commitment: isMonthly ? product.plan.map { firstMonth($0, storefront, from: purchaseDate) } : nil
        )
        return enter(row)
    }

    private func firstMonth(_ plan: SubscriptionPlan, _ storefront: Storefront, from start: Timestamp) -> Commitment {
        return Commitment(
            period: 1,
            periods: plan.period.months ?? 12,
            expiresDate: policy.end(of: plan.period, from: start, anchor: PeriodAnchor(of: start)),
            price: catalog.commitmentPrice(of: plan, in: storefront)
        )
    }

    private func price(
        of purchase: Purchase,
        _ product: Product,
        _ offer: Offer?,
        _ storefront: Storefront
    ) throws(Refusal) -> Money {
        let monthly = purchase.billingPlan == .monthly ? product.plan?.monthly : nil
        let full = catalog.price(monthly?.prices ?? product.prices, in: storefront)
        if offer?.mode == .freeTrial, purchase.price != nil { throw .priceOfFreeTrial }
        let named = purchase.price.map { Money(milliunits: $0.milliunits, currency: $0.currency ?? full.currency) }
        let piece = named ?? offer.map { catalog.price(of: $0, in: storefront, insteadOf: full) } ?? full
        guard piece.milliunits >= 0, let total = piece.times(purchase.quantity) else {
            throw .badPrice(milliunits: piece.milliunits)
        }
        return total
    }
}

extension Transaction {
    /// Whether it cost anything.
    var isPaid: Bool { (price?.milliunits ?? 0) > 0 }

    /// Milliseconds of service that it paid for; nothing when it was free.
    var paidMilliseconds: Int64 {
        guard let expiresDate, isPaid else { return 0 }
        // A stored row is measured before anybody has checked its dates.
        let length = expiresDate.milliseconds.subtractingReportingOverflow(purchaseDate.milliseconds)
        return length.overflow ? 0 : length.partialValue
    }
}

extension Subscription {
    /// Counts the service that a new row paid for.
    mutating func countPayment(of row: Transaction) {
        paidService += row.paidMilliseconds
        if row.isPaid { paidPeriods += 1 }
    }
}
