/// Purchases of one-time products, first purchases of subscriptions, and resubscriptions.
extension Ledger {
    /// Processes a purchase now, or puts it on hold until a parent approves it or the customer completes it.
    mutating func buy(_ purchase: Purchase, by id: AccountID) throws(Refusal) {
        guard let product = catalog.products[purchase.productID] else { throw .unknownProduct(purchase.productID) }
        guard product.isForSale else { throw .productNotForSale(product.id) }
        try check(purchase.subscription, product, by: id)
        // A non-consumable that the customer already owns costs nothing, so no approval is needed.
        if self[id].owned(product.id) != nil { return try sell(purchase, by: id) }
        if purchase.isInterrupted { return try hold(purchase, because: .interrupted, by: id) }
        if self[id].asksToBuy { return try hold(purchase, because: .askToBuy, by: id) }
        try sell(purchase, by: id)
    }

    mutating func sell(_ purchase: Purchase, by id: AccountID) throws(Refusal) {
        guard let product = catalog.products[purchase.productID] else { throw .unknownProduct(purchase.productID) }
        guard product.isForSale else { throw .productNotForSale(product.id) }
        let limit = product.type == .consumable ? 10 : 1
        guard (1...limit).contains(purchase.quantity) else {
            throw .badQuantity(purchase.quantity, limit: limit, type: product.type)
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

    /// Checks that a commitment with monthly billing is available for the product and the storefront.
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

    /// Marks a nonce as used, because a signature of the app's server is valid for one purchase only. The account
    /// stores more nonces than a customer can use during the validity of their signatures.
    private mutating func useUp(_ nonce: String, by id: AccountID) throws(Refusal) {
        if self[id].offerNonces.contains(nonce) { throw .offerSignatureUsed(nonce: nonce) }
        self[id].offerNonces.append(nonce)
        if self[id].offerNonces.count > 256 { self[id].offerNonces.removeFirst() }
    }

    // MARK: One-time products

    private mutating func buyOnce(_ purchase: Purchase, _ product: Product, by id: AccountID) throws(Refusal) {
        let offers = try redeemOffers(purchase, product, by: id)
        try checkPrices(of: purchase, product, offers.map(\.offer), by: id)
        let transaction = try enterSale(purchase, product, to: id, offer: offers.first)
        if product.type == .nonConsumable {
            self[id].ownedProducts.append(
                OwnedProduct(productID: product.id, transaction: transaction.id, ownership: .purchased)
            )
        }
        purchaseResult = .purchased
        note(.charged(transaction.id))
        shareProduct(transaction, product)
    }

    // MARK: Subscriptions

    private mutating func subscribe(_ purchase: Purchase, _ product: Product, by id: AccountID) throws(Refusal) {
        guard let plan = product.plan else { return }
        let held = self[id].subscription(toGroup: plan.groupID)
        if let held, held.isPaidFor(by: purchase) { return payNow(for: held, purchase, by: id) }
        let offers = try redeemOffers(purchase, product, by: id)
        if let held, held.status == .active {
            // A customer who keeps the current product pays the price they agreed to, so the catalog's price is not
            // checked.
            if held.latestTransaction.productID != product.id || !offers.isEmpty {
                try checkPrices(of: purchase, product, offers.map(\.offer), by: id)
            }
            try change(held, to: product, purchase, offers: offers, by: id)
            return recordUse(of: offers, plan.groupID, by: id)
        }
        try checkPrices(of: purchase, product, offers.map(\.offer), by: id)
        try begin(product, plan, purchase, offers: offers, after: held, by: id)
    }

    /// Pays for the renewal in billing retry. If the customer buys the current product, this also withdraws a scheduled
    /// change to another product.
    private mutating func payNow(for held: Subscription, _ purchase: Purchase, by id: AccountID) {
        purchaseResult = .recovered
        var held = held
        if held.preference.productID != purchase.productID, !held.isBound { held.withdrawChoice() }
        held.appAccountToken = purchase.appAccountToken ?? held.appAccountToken
        recover(held, by: id)
    }

    /// Starts a subscription: a first purchase in the group, or a purchase after the last subscription has ended.
    private mutating func begin(
        _ product: Product,
        _ plan: SubscriptionPlan,
        _ purchase: Purchase,
        offers: [PendingOffer],
        after held: Subscription?,
        by id: AccountID
    ) throws(Refusal) {
        // The purchase replaces a refunded period, and also a current period whose next period was refunded.
        let replaced = held.map { supersede($0) } ?? []
        let period = try enterPeriod(purchase, product, to: id, offer: offers.first, continuing: held)
        let transaction = period.transaction
        // A refund may have ended the service before the end of the period.
        let continuesRun = held.map { !isLongGap(from: $0.endOfAccess, to: now) } ?? false
        var begun = Subscription(
            groupID: plan.groupID,
            originalID: transaction.originalID,
            originalPurchaseDate: transaction.originalPurchaseDate,
            state: .active(period),
            preference: RenewalPreference(productID: product.id),
            recentStart: continuesRun ? (held?.recentStart ?? transaction.purchaseDate) : transaction.purchaseDate,
            anchor: anchor(after: period, of: product, under: offers.first?.offer)
        )
        begun.appAccountToken = transaction.appAccountToken
        begun.paidService = held?.paidService ?? 0
        begun.paidPeriods = held?.paidPeriods ?? 0
        begun.countPayment(of: transaction)
        begun.pendingOffers = Ledger.remaining(of: offers)
        begun.agreedPrice = catalog.price(product.prices, in: transaction.storefront)
        begun.extensions = held?.extensions ?? []
        begun.replacedRefunds = replaced
        begun.lastPriceIncrease = held?.lastPriceIncrease
        recordUse(of: offers, plan.groupID, by: id)
        purchaseResult = held == nil ? .subscribed : .resubscribed
        try begin(begun, with: period, after: held, of: id)
    }

    /// The anchor of the periods that follow the first period.
    func anchor(after period: SubscriptionPeriod, of product: Product, under offer: Offer?) -> PeriodAnchor {
        let anchor = PeriodAnchor(of: period.start)
        guard period.transaction.commitment == nil, let plan = product.plan else { return anchor }
        return anchor.following(plan.firstPeriod(under: offer), until: period.end)
    }

    /// The offers of later periods, after the first period has used the first offer once.
    static func remaining(of offers: [PendingOffer]) -> [PendingOffer] {
        [offers.first?.afterOnePeriod].compactMap { $0 } + offers.dropFirst()
    }

    /// Records the redemption of offer codes, and returns the offers that a purchase redeems.
    private mutating func redeemOffers(
        _ purchase: Purchase,
        _ product: Product,
        by id: AccountID
    ) throws(Refusal) -> [PendingOffer] {
        if product.plan != nil, purchase.billingPlan == .monthly { return [] }
        let offers = try self[id].offers(purchase.offer, of: product, at: now, policy: policy)
        for offer in offers.map(\.offer) where offer.kind == .code {
            guard let offerID = offer.id else { continue }
            self[id].codesRedeemed.insert(Account.redemption(of: offerID, product.id))
            if let redemption = offer.redemption(of: product, by: self[id]) { claim(redemption) }
        }
        return offers
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

    // MARK: The transaction

    /// Adds the transaction of a one-time purchase.
    private mutating func enterSale(
        _ purchase: Purchase,
        _ product: Product,
        to id: AccountID,
        offer: PendingOffer?
    ) throws(Refusal) -> Transaction {
        enter(try sale(of: product, purchase, to: id, offer: offer))
    }

    /// Adds the first period of a subscription purchase.
    mutating func enterPeriod(
        _ purchase: Purchase,
        _ product: Product,
        to id: AccountID,
        offer: PendingOffer?,
        continuing held: Subscription?
    ) throws(Refusal) -> SubscriptionPeriod {
        var transaction = try sale(of: product, purchase, to: id, offer: offer)
        guard let plan = product.plan else { throw .unknownProduct(product.id) }
        let isMonthly = purchase.billingPlan == .monthly
        transaction.originalID = held?.originalID ?? transaction.id
        transaction.originalPurchaseDate = held?.originalPurchaseDate ?? transaction.purchaseDate
        transaction.lineItem = identifiers.lineItem(
            of: id,
            environment: self[id].environment,
            storefront: transaction.storefront
        )
        transaction.groupID = plan.groupID
        transaction.billingPlan = plan.monthly == nil ? nil : isMonthly ? .monthly : .billedUpfront
        transaction.commitment =
            isMonthly ? firstMonth(plan, transaction.storefront, from: transaction.purchaseDate) : nil
        let period = isMonthly ? Period(1, .month) : plan.firstPeriod(under: offer?.offer)
        let anchor = PeriodAnchor(of: transaction.purchaseDate)
        return enter(transaction, until: policy.end(of: period, from: transaction.purchaseDate, anchor: anchor))
    }

    /// A transaction with the values that all purchases have.
    private mutating func sale(
        of product: Product,
        _ purchase: Purchase,
        to id: AccountID,
        offer: PendingOffer?
    ) throws(Refusal) -> Transaction {
        let account = self[id]
        let storefront = purchase.storefront ?? account.storefront
        let price = try price(of: purchase, product, offer?.offer, storefront)
        let purchaseDate = now.wholeSecond
        let transaction = identifiers.transaction(of: id, environment: account.environment, storefront: storefront)
        return Transaction(
            id: transaction,
            originalID: transaction,
            account: id,
            change: 0,
            lineItem: nil,
            order: purchase.order ?? identifiers.order(of: id),
            productID: product.id,
            groupID: nil,
            type: product.type,
            purchaseDate: purchaseDate,
            originalPurchaseDate: purchaseDate,
            expiresDate: nil,
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
    /// Whether the transaction's price is above zero.
    var isPaid: Bool { (price?.milliunits ?? 0) > 0 }

    /// The service that the customer paid for with this transaction, in milliseconds; zero for a free transaction.
    var paidMilliseconds: Int64 {
        guard let expiresDate, isPaid else { return 0 }
        // A stored transaction may get here before its dates are checked, so the subtraction may overflow.
        let length = expiresDate.milliseconds.subtractingReportingOverflow(purchaseDate.milliseconds)
        return length.overflow ? 0 : length.partialValue
    }
}

extension Subscription {
    /// Whether a purchase pays for the renewal in billing retry. It must be for the product of that renewal or for the
    /// current product. It must not need a new period: it has no offer, price, storefront, order or other billing plan.
    fileprivate func isPaidFor(by purchase: Purchase) -> Bool {
        guard state.awaitsPayment else { return false }
        let latest = latestTransaction
        let billingPlan: BillingPlanType = latest.commitment == nil ? .billedUpfront : .monthly
        return [preference.productID, latest.productID].contains(purchase.productID)
            && (purchase.offer == .automatic || purchase.offer == .none)
            && purchase.price == nil && purchase.order == nil
            && (purchase.storefront ?? latest.storefront) == latest.storefront
            && (purchase.billingPlan ?? billingPlan) == billingPlan
    }

    /// Adds the service that a new transaction paid for.
    mutating func countPayment(of transaction: Transaction) {
        paidService += transaction.paidMilliseconds
        if transaction.isPaid { paidPeriods += 1 }
    }
}
