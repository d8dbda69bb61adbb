import Testing
import TillCore

/// A shop without a store: accounts and rows in memory, acted on by the rules alone, on a clock that the test moves.
struct CoreShop {
    var catalog: Catalog
    let realm: Realm
    var now: Timestamp
    private(set) var accounts: [String: Account] = [:]
    private(set) var rows: [TransactionID: Transaction] = [:]
    private(set) var events: [Event] = []
    private var nextIdentifier: Int64 = 1

    init(on day: String = "2026-01-01", in realm: Realm = .sandbox, selling products: [Product]) {
        self.realm = realm
        now = Timestamp(day: day)
        catalog = Catalog()
        for product in products { catalog.put(product) }
    }

    mutating func open(_ customer: String, storefront: String = "USA") {
        guard accounts[customer] == nil else { return }
        let partition = Partition(realm: realm, app: "com.example", customer: customer)
        var identifiers = reserve(1)
        accounts[customer] = Account(
            id: identifiers.account(in: partition),
            realm: realm,
            app: "com.example",
            customer: customer,
            storefront: Storefront(code: storefront) ?? .unitedStates,
            at: now
        )
    }

    /// Lets the customer do something and gives back what the rules wrote and said.
    @discardableResult
    mutating func act(_ customer: String, _ command: Command) throws(Refusal) -> Ledger {
        open(customer)
        guard let account = accounts[customer] else { throw .unknownAccount(customer) }
        var others = Set(account.family?.members ?? [])
        if case .joinFamily(let host, _) = command {
            others.insert(host)
            others.formUnion(accounts.values.first { $0.id == host }?.family?.members ?? [])
        }
        others.remove(account.id)
        let concerned = [account] + accounts.values.filter { others.contains($0.id) }.sorted { $0.id < $1.id }
        var ledger = Ledger(
            accounts: concerned,
            rows: command.rows(from: concerned).compactMap { rows[$0] },
            catalog: catalog,
            policy: Policy(for: realm),
            identifiers: reserve(command.mostIdentifiers(for: concerned)),
            at: now
        )
        _ = ledger.catchUp()
        try ledger.perform(command, by: account.id)
        for changed in ledger.accounts.values { accounts[changed.customer] = changed }
        for change in ledger.rowChanges { rows[change.after.id] = change.after }
        events += ledger.events
        return ledger
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
        let own = ledger.rowChanges.last { $0.after.account == accounts[customer]?.id && !$0.after.isUpgraded }?.after
        guard let row = own ?? subscription(customer)?.current else { throw .unknownProduct(product) }
        return row
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

    mutating func advance(to day: String) { now = Timestamp(day: day) }

    func subscription(_ customer: String, _ ownership: Ownership = .purchased) -> Subscription? {
        accounts[customer]?.subscriptions.first { $0.ownership == ownership }
    }

    /// The customer's rows in the order of the history.
    func history(_ customer: String) -> [Transaction] {
        rows.values.filter { $0.account == accounts[customer]?.id }.sorted { $0.change < $1.change }
    }

    func status(_ customer: String, _ ownership: Ownership = .purchased) -> SubscriptionStatus? {
        subscription(customer, ownership)?.status(at: now)
    }

    func renewalInfo(_ customer: String, _ ownership: Ownership = .purchased) throws -> RenewalInfo {
        RenewalInfo(
            of: try #require(subscription(customer, ownership)),
            held: try #require(accounts[customer]),
            at: now,
            catalog: catalog,
            policy: Policy(for: realm)
        )
    }

    private mutating func reserve(_ count: Int64) -> Identifiers {
        defer { nextIdentifier += count }
        return Identifiers(reserved: nextIdentifier..<nextIdentifier + count)
    }
}

extension Timestamp {
    /// Noon UTC of a day, `2026-01-31`, or an instant, `2026-01-31T18:30:00Z`.
    init(day text: String) {
        let parts = text.split { "-T:Z".contains($0) }.compactMap { Int64($0) }
        let (year, month, day) = (parts[0], parts[1], parts[2])
        let time = parts.count > 3 ? parts[3] * 3_600 + parts[4] * 60 + parts[5] : 43_200
        let y = month <= 2 ? year - 1 : year
        let era = y / 400
        let yearOfEra = y - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        self.init(seconds: (era * 146_097 + dayOfEra - 719_468) * 86_400 + time)
    }
}

/// Products for the tests, in few words.
enum Goods {
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
