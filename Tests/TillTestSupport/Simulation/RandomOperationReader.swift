import TillCore
import TillShop

/// Picks the subscription, transaction or product of a random operation from the present state.
struct RandomOperationReader {
    let observation: Observation
    let account: Account
    let scheduled: Workload.ScheduledOperation
    private var random: SeededRandom

    /// Creates a reader for one customer; nil if the customer is unknown.
    init?(_ scheduled: Workload.ScheduledOperation, by customer: String, in observation: Observation) {
        guard let account = observation.accounts[customer] else { return nil }
        self.account = account
        self.observation = observation
        self.scheduled = scheduled
        random = SeededRandom(seed: scheduled.random)
    }

    /// The operation with the picked subscription, transaction or product.
    mutating func operation() -> Operation {
        switch scheduled.operation {
        case .subscribe, .subscribeAgain, .buySameAgain, .changePlan, .withdrawPlanChange, .takeOffer,
            .changePlanWithOffer, .comeBackWithOffer, .payMonthly, .buyOnce, .startPurchaseAndLeave:
            return command(purchase().map { .purchase($0) })
        case .decideHeldPurchase(let approved):
            let number = random.pick(account.heldPurchases)?.number
            return command(number.map { .decideHeldPurchase(number: $0, approved: approved) })
        case .cancel: return command(subscription { $0.preference.autoRenews }.map { cancellation(of: $0) })
        case .giveUp:
            guard random.chance(20), let unpaid = account.subscriptions.first(where: \.state.awaitsPayment) else {
                return .nothing
            }
            return command(.turnAutoRenewOff(unpaid.originalID))
        case .resume: return command(subscription { !$0.preference.autoRenews }.map { .turnAutoRenewOn($0.originalID) })
        case .useCard(let card): return command(.useCard(card))
        case .askToBuy(let asks): return command(.setAskToBuy(asks))
        case .acceptPriceIncrease:
            let pending = subscription { $0.priceIncrease?.stage == .pending }
            return command(pending.map { .acceptPriceIncrease($0.originalID) })
        case .download:
            let download = AppTransaction(originalPurchaseDate: observation.now.wholeSecond)
            return command(.downloadApp(download))
        case .finish: return command(row { !$0.isFinished }.map { .finish($0.id) })
        case .setToken:
            let token = "00000000-0000-4000-8000-00000000000\(random.number(in: 0...9))"
            return command(row { $0.isOriginal }.map { .setAppAccountToken($0.id, token: token) })
        case .join: return join()
        case .leave: return command(.leaveFamily)
        case .share(let shares):
            let catalog = observation.catalog
            let shareable = row {
                $0.ownership == .purchased && catalog.products[$0.productID]?.isFamilyShareable == true
            }
            return command(shareable.map { .shareWithFamily($0.originalID, shares) })
        case .requestRefund, .reportConsumption, .refundLatest, .refundOlder, .refundAnything, .declineRefund,
            .reverseRefund:
            return command(refundCommand())
        case .extend: return extend()
        case .extendEverybody, .raisePrice, .lowerPrice, .removeFromSale, .returnToSale, .shareProduct, .changeGrace:
            return shopOperation()
        case .useClock: return command(.useClock(random.one(of: nil, "own")))
        case .processDue: return command(.processDue)
        case .nonsense: return command(invalidCommand())
        }
    }

    /// The command that cancels a subscription. A customer who was asked to consent to a price increase declines it.
    private func cancellation(of subscription: Subscription) -> Command {
        subscription.priceIncrease?.stage == .pending
            ? .declinePriceIncrease(subscription.originalID) : .turnAutoRenewOff(subscription.originalID)
    }

    private func command(_ command: Command?) -> Operation {
        command.map { .command($0, by: account.customer) } ?? .nothing
    }

    // MARK: Purchases

    private mutating func purchase() -> Purchase? {
        switch scheduled.operation {
        case .subscribe:
            guard let product = random.pick(products { $0.plan != nil }) else { return nil }
            return Purchase(productID: product.id, appAccountToken: token(), offer: offer(of: product))
        case .subscribeAgain:
            guard let held = subscription({ $0.status == .expired || $0.status == .revoked }) else {
                return nil
            }
            let product = random.pick(products { $0.plan?.groupID == held.groupID })
            return product.map { Purchase(productID: $0.id) }
        case .buySameAgain:
            return subscription { $0.state.awaitsPayment || $0.status == .expired }.map {
                Purchase(productID: $0.preference.productID, offer: .none)
            }
        case .changePlan, .changePlanWithOffer:
            guard let held = subscription({ _ in true }) else { return nil }
            let others = products { $0.plan?.groupID == held.groupID && $0.id != held.latestTransaction.productID }
            guard let other = random.pick(others) else { return nil }
            let monthly = other.plan?.monthly != nil && random.chance(30)
            let offer = scheduled.operation == .changePlan ? .none : promotion(of: other)
            return Purchase(productID: other.id, offer: monthly ? .none : offer, billingPlan: monthly ? .monthly : nil)
        case .withdrawPlanChange:
            return subscription { $0.preference.productID != $0.latestTransaction.productID }.map {
                Purchase(productID: $0.latestTransaction.productID, offer: .none)
            }
        case .takeOffer: return subscription { _ in true }.flatMap { offer(for: $0.latestTransaction.productID) }
        case .comeBackWithOffer:
            guard let held = subscription({ $0.status == .expired }) else { return nil }
            let product = random.pick(products { $0.plan?.groupID == held.groupID && $0.offer(.winBack) != nil })
            guard let product, let id = product.offer(.winBack)?.id else { return nil }
            return Purchase(productID: product.id, offer: random.chance(80) ? .winBack(id) : promotion(of: product))
        case .payMonthly: return Purchase(productID: "gold.year", offer: .none, billingPlan: .monthly)
        case .startPurchaseAndLeave:
            return random.pick(products { _ in true }).map { Purchase(productID: $0.id, isInterrupted: true) }
        default:
            guard let product = random.pick(products { $0.plan == nil }) else { return nil }
            let isCoins = product.type == .consumable
            return Purchase(
                productID: product.id,
                quantity: isCoins ? random.number(in: 1...3) : 1,
                offer: isCoins && random.chance(20) ? .code("COIN") : .automatic,
                isFinished: random.chance(30)
            )
        }
    }

    private mutating func token() -> String? { random.chance(20) ? "7F4A7C15-0000-4000-8000-000000000001" : nil }

    private mutating func offer(of product: Product) -> OfferChoice {
        switch random.number(in: 0...5) {
        case 0: .none
        case 1: .introductory(evenIfUsed: random.chance(30))
        case 2: (product.offers.first { $0.kind == .code }?.id).map { .code($0) } ?? .automatic
        default: .automatic
        }
    }

    private mutating func promotion(of product: Product) -> OfferChoice {
        let some = product.offers.filter { $0.kind == .promotional || $0.kind == .code }
        guard let offer = random.pick(some), let id = offer.id else { return .none }
        return offer.kind == .code ? .code(id) : .promotional(id)
    }

    private mutating func offer(for productID: String) -> Purchase? {
        guard let product = observation.catalog.products[productID] else { return nil }
        return Purchase(productID: productID, offer: promotion(of: product))
    }

    // MARK: Families and refunds

    private mutating func join() -> Operation {
        let others = observation.accounts.values.filter { $0.id != account.id }.sorted { $0.id < $1.id }
        // Sometimes picks the customer's own account, which makes a family of one.
        let host = random.chance(4) ? account : random.pick(others) ?? account
        return command(.joinFamily(of: host.id, named: host.family?.name ?? "family of \(host.customer)"))
    }

    private mutating func refundCommand() -> Command? {
        switch scheduled.operation {
        case .requestRefund:
            let reason = random.pick(ConsumptionRequestReason.allCases) ?? .other
            return row { $0.ownership == .purchased && $0.revocation == nil }.map { .requestRefund($0.id, reason) }
        case .reportConsumption:
            let report = ConsumptionReport(
                preference: random.pick([nil] + RefundPreference.allCases) ?? nil,
                consumptionPercentage: random.one(of: nil, 0, 40_000, 100_000)
            )
            return request().map { .reportConsumption($0, report) }
        case .refundLatest:
            return subscription { $0.latestTransaction.revocation == nil }.map {
                .refund(refund(of: $0.latestTransaction.id))
            }
        case .refundOlder:
            let latest = Set(account.heldSubscriptions.map { $0.latestTransaction.id })
            return row { $0.groupID != nil && !latest.contains($0.id) }.map { .refund(refund(of: $0.id)) }
        case .refundAnything: return row { _ in true }.map { .refund(refund(of: $0.id)) }
        case .declineRefund: return request().map { .declineRefund($0) }
        default: return row { $0.refundNumber != nil }.map { .reverseRefund($0.id) }
        }
    }

    private mutating func request() -> TransactionID? {
        random.pick(account.refundRequests)?.transaction ?? row { _ in true }?.id
    }

    private mutating func refund(of id: TransactionID) -> Refund {
        let share: Refund.Share = random.one(of: .full, .full, .unused, .part(50_000))
        return Refund(transaction: id, share: share, reason: random.one(of: .other, .issueInApp))
    }

    // MARK: The developer and the operator

    private mutating func extend() -> Operation {
        let days = random.number(in: 1...90)
        let request = "request \(random.chance(80) ? scheduled.random : 1)"
        return command(
            subscription { $0.status != .expired }.map {
                .extend(Extension(subscription: $0.originalID, days: days, reasonCode: 1, request: request))
            }
        )
    }

    private mutating func shopOperation() -> Operation {
        let name = "job \(scheduled.random)"
        switch scheduled.operation {
        case .changeGrace:
            let days = random.pick(GracePeriod.lengths) ?? 16
            return .grace(random.chance(40) ? nil : GracePeriod(days: days, coverage: .allRenewals))
        case .returnToSale:
            guard var product = random.pick(products(forSale: false) { _ in true }) else { return .nothing }
            product.isForSale = true
            return .sell(product, job: nil)
        case .shareProduct:
            guard var product = random.pick(products { $0.plan != nil && !$0.isFamilyShareable }) else {
                return .nothing
            }
            product.isFamilyShareable = true
            return .sell(product, job: Job(id: name, task: .shareProduct(product.id)))
        default: break
        }
        // Prefers products with subscribers, so that removing the product from sale has an effect.
        let held = subscription { $0.status != .expired }.flatMap {
            observation.catalog.products[$0.latestTransaction.productID]
        }
        guard var product = held ?? random.pick(products { $0.plan != nil }) else { return .nothing }
        switch scheduled.operation {
        case .extendEverybody:
            let wanted = MassExtension(
                productID: product.id,
                days: random.number(in: 1...90),
                reasonCode: 2,
                request: name,
                storefronts: random.chance(30) ? ["USA"] : nil
            )
            return .job(Job(id: name, task: .extend(wanted)))
        case .raisePrice:
            product.prices = product.prices.times(random.one(of: 120, 160, 250))
            let consent: PriceConsent = random.one(of: .automatic, .required, .required, .notNeeded)
            let raise = PriceRaise(productID: product.id, prices: product.prices, consent: consent)
            return .sell(product, job: Job(id: name, task: .raisePrice(raise)))
        case .lowerPrice:
            product.prices = product.prices.times(80)
            return .sell(product, job: nil)
        default:
            product.isForSale = false
            return .sell(product, job: nil)
        }
    }

    private mutating func invalidCommand() -> Command? {
        let otherAccounts = observation.accounts.values.filter { $0.id != account.id }.map(\.id)
        // The lowest transaction id of the other accounts does not depend on whether those accounts have advanced yet.
        let otherRow = observation.rows.values.filter { otherAccounts.contains($0.account) }.map(\.id).min()
        let unknown = random.chance(50) ? otherRow ?? TransactionID(1) : TransactionID(1)
        let other = row { $0.ownership == .familyShared || !$0.isOriginal }?.id ?? unknown
        let commands: [Command] = [
            .purchase(Purchase(productID: "nothing")), .purchase(Purchase(productID: "coins", quantity: 11)),
            .purchase(Purchase(productID: "coins", appAccountToken: "token")),
            .purchase(Purchase(productID: "silver.month", billingPlan: .monthly)),
            .purchase(Purchase(productID: "skin", price: PriceOverride(milliunits: -1))),
            .purchase(Purchase(productID: "gold.month", offer: .promotional("none"))),
            .turnAutoRenewOff(unknown), .turnAutoRenewOn(other), .acceptPriceIncrease(other),
            .shareWithFamily(other, true), .setAppAccountToken(other, token: "00000000-0000-4000-8000-000000000000"),
            .decideHeldPurchase(number: 0, approved: true), .declineRefund(other), .reverseRefund(other),
            .refund(Refund(transaction: other, share: .part(0))),
            .extend(Extension(subscription: unknown, days: 1, reasonCode: 0, request: "none")), .leaveFamily,
        ]
        return random.pick(commands)
    }

    // MARK: Looking up the state

    private func products(forSale: Bool = true, _ fits: (Product) -> Bool) -> [Product] {
        observation.catalog.products.values.filter { $0.isForSale == forSale && fits($0) }.sorted { $0.id < $1.id }
    }

    /// One of the customer's own subscriptions; one that fits, if there is any.
    private mutating func subscription(_ fits: (Subscription) -> Bool) -> Subscription? {
        random.pick(account.subscriptions.filter(fits)) ?? random.pick(account.subscriptions)
    }

    /// One of the customer's transactions; one that fits, if there is any. In half of the cases it is the latest.
    private mutating func row(_ fits: (Transaction) -> Bool) -> Transaction? {
        let all = observation.rows.values.filter { $0.account == account.id }.sorted { $0.change < $1.change }
        let fitting = all.filter(fits)
        if random.chance(50), let last = fitting.last { return last }
        return random.pick(fitting) ?? random.pick(all)
    }
}

extension PriceList {
    /// The price list with every price multiplied by this percentage.
    package func times(_ percent: Int64) -> PriceList {
        func scaled(_ money: Money) -> Money {
            Money(milliunits: money.milliunits * percent / 100, currency: money.currency)
        }
        return PriceList(standard: scaled(standard), byStorefront: byStorefront.mapValues(scaled))
    }
}
