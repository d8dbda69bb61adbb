import Testing
import TillCalendar
import TillCore
import TillTesting

/// A shop of the rules alone, with short forms of the operations and queries of these tests.
struct CoreShop {
    private var stage: CoreStage

    init(on day: String = "2026-01-01", in environment: StoreEnvironment = .sandbox, selling products: [Product]) {
        stage = CoreStage(in: environment, selling: products, at: Timestamp(day: day))
    }

    var catalog: Catalog {
        get { stage.catalog }
        set { stage.catalog = newValue }
    }

    var now: Timestamp { stage.now }
    var accounts: [String: Account] { stage.accounts }
    var rows: [TransactionID: Transaction] { stage.rows }
    var events: [Event] { stage.events }

    mutating func open(_ customer: String, storefront: String = "USA") {
        stage.open(customer, storefront: Storefront(code: storefront) ?? .unitedStates)
    }

    /// Runs a customer's command and returns what the rules wrote and answered.
    @discardableResult
    mutating func act(_ customer: String, _ command: Command) throws(Refusal) -> Ledger {
        try stage.act(customer, command)
    }

    @discardableResult
    mutating func buys(
        _ customer: String,
        _ product: String,
        quantity: Int = 1,
        offer: OfferChoice = .automatic,
        token: String? = nil
    ) throws(Refusal) -> Transaction {
        let purchase = Purchase(productID: product, quantity: quantity, appAccountToken: token, offer: offer)
        let ledger = try act(customer, .purchase(purchase))
        let own = ledger.transactionChanges.last { $0.after.account == accounts[customer]?.id && !$0.after.isUpgraded }?.after
        guard let row = own ?? subscription(customer)?.latestTransaction else { throw .unknownProduct(product) }
        return row
    }

    /// Turns off the renewal of the customer's subscription.
    mutating func cancels(_ customer: String) throws(Refusal) {
        guard let subscription = subscription(customer) else { throw .unknownAccount(customer) }
        try act(customer, .turnAutoRenewOff(subscription.originalID))
    }

    @discardableResult
    mutating func refunds(
        _ customer: String,
        _ row: Transaction,
        _ share: Refund.Share = .full,
        reason: RevocationReason = .other
    ) throws(Refusal) -> Transaction {
        try act(customer, .refund(Refund(transaction: row.id, share: share, reason: reason)))
        return rows[row.id] ?? row
    }

    mutating func joins(_ customer: String, familyOf host: String) throws(Refusal) {
        open(host)
        open(customer)
        guard let account = accounts[host] else { throw .unknownAccount(host) }
        try act(customer, .joinFamily(of: account.id, named: "family"))
    }

    /// Advances the time, with all events on the way.
    mutating func advance(to day: String) { advance(to: Timestamp(day: day)) }

    mutating func advance(to instant: Timestamp) { stage.advance(to: instant) }

    func subscription(_ customer: String) -> Subscription? { accounts[customer]?.subscriptions.first }

    func held(_ customer: String, _ ownership: Ownership) -> (any HeldSubscription)? {
        accounts[customer]?.heldSubscriptions.first { $0.ownership == ownership }
    }

    /// The customer's rows in the order of the history.
    func history(_ customer: String) -> [Transaction] { stage.history(customer) }

    func status(_ customer: String, _ ownership: Ownership = .purchased) -> SubscriptionStatus? {
        held(customer, ownership)?.status
    }

    func renewalInfo(_ customer: String, _ ownership: Ownership = .purchased) throws -> RenewalInfo {
        let subscription = try #require(held(customer, ownership))
        return RenewalInfo(
            of: subscription,
            held: try #require(accounts[customer]),
            at: now,
            catalog: catalog,
            policy: stage.policy
        )
    }
}

extension Timestamp {
    /// Noon UTC of a day, `2026-01-31`, or an instant, `2026-01-31T18:30:00Z`.
    init(day text: String) {
        let parts = text.split { "-T:Z".contains($0) }.compactMap { Int64($0) }
        let (year, month, day) = (parts[0], parts[1], parts[2])
        let time = parts.count > 3 ? parts[3] * 3_600 + parts[4] * 60 + parts[5] : 43_200
        guard let date = CivilDate(year: year, month: month, day: day) else { preconditionFailure("no day: \(text)") }
        self.init(seconds: date.daysSince1970 * 86_400 + time)
    }
}

/// Products for the tests, short.
enum TestProducts {
    static func usd(_ milliunits: Int64) -> PriceList {
        PriceList(standard: Money(milliunits: milliunits, currency: "USD"))
    }

    static func coins(price: PriceList = usd(990), offers: [Offer] = []) -> Product {
        Product(id: "coins", type: .consumable, referenceName: "Coins", prices: price, offers: offers)
    }

    static func skin(shared: Bool = false) -> Product {
        Product(
            id: "skin",
            type: .nonConsumable,
            referenceName: "Skin",
            prices: usd(1_990),
            isFamilyShareable: shared
        )
    }

    static let season = Product(id: "season", type: .nonRenewing, referenceName: "Season", prices: usd(9_990))

    static func plan(
        _ id: String = "pro",
        level: Int = 1,
        period: Period = Period(1, .month),
        price: Int64 = 4_990,
        group: String = "20450880",
        shared: Bool = false,
        offers: [Offer] = []
    ) -> Product {
        Product(
            id: id,
            type: .autoRenewable,
            referenceName: id,
            prices: usd(price),
            isFamilyShareable: shared,
            plan: SubscriptionPlan(groupID: group, level: level, period: period),
            offers: offers
        )
    }

    static let trial = Offer(kind: .introductory, mode: .freeTrial, period: Period(1, .week))

    static func offer(
        _ kind: OfferKind,
        _ id: String? = nil,
        _ mode: OfferMode = .payUpFront,
        _ period: Period = Period(1, .month),
        count: Int = 1,
        price: Int64? = 1_990,
        audience: Set<CodeAudience> = [],
        limit: Int? = nil,
        stackable: Bool = false,
        winBack: WinBackCriteria? = nil
    ) -> Offer {
        Offer(
            kind: kind,
            id: id,
            mode: mode,
            period: period,
            periodCount: count,
            prices: price.map { usd($0) },
            audience: audience,
            redemptionLimit: limit,
            isStackable: stackable,
            winBack: winBack
        )
    }
}
