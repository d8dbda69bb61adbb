import Testing
import TillCore
import TillTesting

@Suite("Prices by storefront")
struct PricingTests {
    /// A catalog of one storefront, in which the coins have a price of their own in Germany.
    private func stage(
        storefront: String = "USA",
        selling products: [Product] = [],
        _ missingPrice: MissingPrice = .storefrontCurrency
    ) -> CoreStage {
        let coins = TestProducts.coins(
            price: PriceList(
                standard: Money(milliunits: 990, currency: "USD"),
                byStorefront: ["DEU": Money(milliunits: 1_190, currency: "EUR")]
            )
        )
        var policy = Policy(for: .sandbox)
        policy.missingPrice = missingPrice
        var stage = CoreStage(
            in: .sandbox,
            selling: [coins] + products,
            policy: policy,
            at: Timestamp(day: "2026-01-01")
        )
        stage.catalog.settings.storefront = storefront
        return stage
    }

    private func storefront(_ code: String) throws -> Storefront { try #require(Storefront(code: code)) }

    /// The price for a new customer of a storefront.
    private func price(_ product: String, in code: String, _ stage: CoreStage) throws -> Money? {
        var stage = stage
        let purchase = Purchase(productID: product, storefront: try storefront(code))
        return try stage.act("ann", .purchase(purchase)).transactionChanges.last?.after.price
    }

    @Test("A storefront without its own price has the number of the standard price in its own currency")
    func numbers() throws {
        let stage = stage()
        #expect(try price("coins", in: "USA", stage) == Money(milliunits: 990, currency: "USD"))
        #expect(try price("coins", in: "DEU", stage) == Money(milliunits: 1_190, currency: "EUR"))
        #expect(try price("coins", in: "JPN", stage) == Money(milliunits: 990, currency: "JPY"))
        #expect(try price("coins", in: "AFG", stage) == Money(milliunits: 990, currency: "USD"))
    }

    @Test("Every storefront uses its own currency, whatever the catalog's, unless the operator set another")
    func pairs() throws {
        for home in ["USA", "JPN", "DEU"] {
            var stage = stage(storefront: home)
            let currency = try storefront(home).currency
            stage.catalog.products["coins"]?.prices.standard.currency = currency
            for storefront in Storefront.all {
                let paid = try price("coins", in: storefront.code, stage)
                #expect(paid?.currency == storefront.currency, "\(storefront.code) under a catalog of \(home)")
            }
        }
        // The operator set both: the standard price of the catalog's storefront, and a price of a storefront.
        var stage = stage(storefront: "JPN")
        stage.catalog.products["coins"]?.prices.byStorefront["FRA"] = Money(milliunits: 5, currency: "GBP")
        #expect(try price("coins", in: "JPN", stage) == Money(milliunits: 990, currency: "USD"))
        #expect(try price("coins", in: "FRA", stage) == Money(milliunits: 5, currency: "GBP"))
    }

    @Test("An offer, a commitment and a renewal follow the same rule")
    func subscriptions() throws {
        let introductory = Offer(
            kind: .introductory,
            mode: .payAsYouGo,
            period: Period(1, .month),
            periodCount: 1,
            prices: TestProducts.usd(1_990)
        )
        var annual = TestProducts.plan("year", period: Period(1, .year), price: 59_990, group: "2")
        annual.plan?.billingPlans = [BillingPlan(kind: .monthly, prices: TestProducts.usd(5_990))]
        var stage = stage(selling: [TestProducts.plan(offers: [introductory]), annual])
        stage.open("ann", storefront: try storefront("JPN"))
        let first = try stage.act("ann", .purchase(Purchase(productID: "pro"))).transactionChanges.last?.after
        #expect(first?.price == Money(milliunits: 1_990, currency: "JPY"))
        let account = try #require(stage.accounts["ann"])
        let subscription = try #require(account.subscriptions.first)
        let info = RenewalInfo(
            of: subscription,
            held: account,
            at: stage.now,
            catalog: stage.catalog,
            policy: stage.policy
        )
        #expect(info.renewalPrice == Money(milliunits: 4_990, currency: "JPY"))
        stage.advance(to: Timestamp(day: "2026-02-02"))
        let renewed = stage.accounts["ann"]?.subscriptions.first?.latestTransaction
        #expect(renewed?.reason == .renewal && renewed?.price == Money(milliunits: 4_990, currency: "JPY"))
        let wanted = Purchase(productID: "year", storefront: try storefront("JPN"), billingPlan: .monthly)
        let monthly = try stage.act("bob", .purchase(wanted)).transactionChanges.last?.after
        #expect(monthly?.price == Money(milliunits: 5_990, currency: "JPY"))
        #expect(monthly?.commitment?.price == Money(milliunits: 71_880, currency: "JPY"))
    }

    @Test("A higher standard price applies to subscribers of every storefront in their own currency")
    func increases() throws {
        var stage = stage(selling: [TestProducts.plan()])
        stage.open("ann", storefront: try storefront("JPN"))
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        let raise = PriceRaise(productID: "pro", prices: TestProducts.usd(5_990))
        stage.perform(Job(id: "raise", task: .raisePrice(raise)))
        let increase = stage.accounts["ann"]?.subscriptions.first?.priceIncrease
        #expect(increase?.price == Money(milliunits: 5_990, currency: "JPY"))
    }

    @Test("A subscription that version 0.1.0 sold in the catalog's currency keeps it")
    func agreed() throws {
        // 0.1.0 charged the price of the catalog's storefront everywhere.
        var stage = stage(
            storefront: "JPN",
            selling: [TestProducts.plan(), TestProducts.plan("lite", level: 2, price: 990)]
        )
        stage.open("ann", storefront: try storefront("JPN"))
        let row = try stage.act("ann", .purchase(Purchase(productID: "pro"))).transactionChanges.last?.after
        #expect(row?.price == Money(milliunits: 4_990, currency: "USD"))
        stage.catalog.settings.storefront = "USA"
        stage.advance(to: Timestamp(day: "2026-02-02"))
        let renewed = stage.accounts["ann"]?.subscriptions.first?.latestTransaction
        #expect(renewed?.reason == .renewal && renewed?.price == Money(milliunits: 4_990, currency: "USD"))
        let raise = PriceRaise(productID: "pro", prices: TestProducts.usd(5_990))
        stage.perform(Job(id: "raise", task: .raisePrice(raise)))
        let increase = stage.accounts["ann"]?.subscriptions.first?.priceIncrease
        #expect(increase?.price == Money(milliunits: 5_990, currency: "USD"))
    }

    @Test("An environment that rejects missing prices rejects the purchase, and names product and storefront")
    func refused() throws {
        let offer = Offer(
            kind: .introductory,
            mode: .payUpFront,
            period: Period(2, .month),
            prices: TestProducts.usd(1_990)
        )
        var plan = TestProducts.plan(offers: [offer])
        plan.prices.byStorefront["DEU"] = Money(milliunits: 5_490, currency: "EUR")
        let stage = stage(selling: [plan, TestProducts.season], .refuse)
        #expect(try price("coins", in: "USA", stage) == Money(milliunits: 990, currency: "USD"))
        #expect(try price("coins", in: "DEU", stage) == Money(milliunits: 1_190, currency: "EUR"))
        for product in ["coins", "season", "pro"] {
            #expect(throws: Refusal.noPrice(product: product, offer: nil, storefront: "FRA")) {
                try price(product, in: "FRA", stage)
            }
        }
        #expect(throws: Refusal.noPrice(product: "pro", offer: "introductory", storefront: "DEU")) {
            try price("pro", in: "DEU", stage)
        }
        var other = stage
        // A price in the purchase is set by the operator, too.
        var purchase = Purchase(productID: "season", storefront: try storefront("FRA"))
        purchase.price = PriceOverride(milliunits: 8_990, currency: "EUR")
        let row = try other.act("ann", .purchase(purchase)).transactionChanges.last?.after
        #expect(row?.price == Money(milliunits: 8_990, currency: "EUR"))
        let words = Refusal.noPrice(product: "season", offer: nil, storefront: "FRA").explanation
        #expect(words.contains("season") && words.contains("FRA") && words.contains("--missing-price"))
    }

    @Test("A subscriber can change only to a plan with a price, and pays the agreed price until then")
    func changes() throws {
        var stage = stage(selling: [TestProducts.plan(), TestProducts.plan("lite", level: 2, price: 990)])
        stage.open("ann", storefront: try storefront("FRA"))
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        stage.policy.missingPrice = .refuse
        #expect(throws: Refusal.noPrice(product: "lite", offer: nil, storefront: "FRA")) {
            try stage.act("ann", .purchase(Purchase(productID: "lite")))
        }
        stage.advance(to: Timestamp(day: "2026-02-02"))
        let renewed = stage.accounts["ann"]?.subscriptions.first?.latestTransaction
        #expect(renewed?.reason == .renewal && renewed?.price == Money(milliunits: 4_990, currency: "EUR"))
    }
}
