import Testing
import TillCore
import TillTestSupport

@Suite("Prices by storefront")
struct PricingTests {
    /// A shop whose catalog has prices of one storefront. The coins also have their own price in Germany.
    private func shop(
        storefront: String = "USA",
        selling products: [Product] = [],
        _ missingPrice: MissingPrice = .storefrontCurrency
    ) -> CoreShop {
        let coins = Product.coins.with { $0.prices.byStorefront["DEU"] = Money(milliunits: 1_190, currency: "EUR") }
        var policy = Policy(for: .sandbox)
        policy.missingPrice = missingPrice
        var shop = CoreShop(policy: policy, selling: [coins] + products)
        shop.catalog.settings.storefront = storefront
        return shop
    }

    private func storefront(_ code: String) throws -> Storefront { try #require(Storefront(code: code)) }

    /// The price for a new customer in a storefront.
    private func price(_ product: String, in code: String, _ shop: CoreShop) throws -> Money? {
        var shop = shop
        let purchase = Purchase(productID: product, storefront: try storefront(code))
        return try shop.perform(.purchase(purchase), by: "ann").transactionChanges.last?.after.price
    }

    @Test("A storefront without its own price uses the number of the standard price, in the storefront's currency")
    func numbers() throws {
        let shop = shop()
        #expect(try price("coins", in: "USA", shop) == Money(milliunits: 990, currency: "USD"))
        #expect(try price("coins", in: "DEU", shop) == Money(milliunits: 1_190, currency: "EUR"))
        #expect(try price("coins", in: "JPN", shop) == Money(milliunits: 990, currency: "JPY"))
        #expect(try price("coins", in: "AFG", shop) == Money(milliunits: 990, currency: "USD"))
    }

    @Test("Every storefront uses its own currency unless the operator sets another")
    func pairs() throws {
        for home in ["USA", "JPN", "DEU"] {
            var shop = shop(storefront: home)
            let currency = try storefront(home).currency
            shop.catalog.products["coins"]?.prices.standard.currency = currency
            for storefront in Storefront.all {
                let paid = try price("coins", in: storefront.code, shop)
                #expect(paid?.currency == storefront.currency, "\(storefront.code) under a catalog of \(home)")
            }
        }
        // The operator set the standard price of the catalog's storefront, and also the price of one storefront.
        var shop = shop(storefront: "JPN")
        shop.catalog.products["coins"]?.prices.byStorefront["FRA"] = Money(milliunits: 5, currency: "GBP")
        #expect(try price("coins", in: "JPN", shop) == Money(milliunits: 990, currency: "USD"))
        #expect(try price("coins", in: "FRA", shop) == Money(milliunits: 5, currency: "GBP"))
    }

    @Test("An offer, a commitment and a renewal use the storefront's currency, too")
    func subscriptions() throws {
        let introductory = Offer.payAsYouGo(.introductory, times: 1, at: 1_990)
        var annual = Product.plan("year", each: .year, at: 59_990, group: "2")
        annual.plan?.billingPlans = [BillingPlan(kind: .monthly, prices: .usd(5_990))]
        var shop = shop(selling: [.plan(offers: introductory), annual])
        shop.open("ann", storefront: try storefront("JPN"))
        let first = try shop.buy("pro", by: "ann")
        #expect(first.price == Money(milliunits: 1_990, currency: "JPY"))
        #expect(try shop.renewalInfo("ann").renewalPrice == Money(milliunits: 4_990, currency: "JPY"))
        shop.advance(to: "2026-02-02")
        let renewed = shop.subscription("ann")?.latestTransaction
        #expect(renewed?.reason == .renewal && renewed?.price == Money(milliunits: 4_990, currency: "JPY"))
        let wanted = Purchase(productID: "year", storefront: try storefront("JPN"), billingPlan: .monthly)
        let monthly = try shop.perform(.purchase(wanted), by: "bob").transactionChanges.last?.after
        #expect(monthly?.price == Money(milliunits: 5_990, currency: "JPY"))
        #expect(monthly?.commitment?.price == Money(milliunits: 71_880, currency: "JPY"))
    }

    @Test("A higher standard price applies to subscribers of every storefront, in the storefront's currency")
    func increases() throws {
        var shop = shop(selling: [.plan()])
        shop.open("ann", storefront: try storefront("JPN"))
        try shop.buy("pro", by: "ann")
        let raise = PriceRaise(productID: "pro", prices: .usd(5_990))
        shop.perform(Job(id: "raise", task: .raisePrice(raise)))
        let increase = shop.subscription("ann")?.priceIncrease
        #expect(increase?.price == Money(milliunits: 5_990, currency: "JPY"))
    }

    @Test("A subscription that version 0.1.0 sold in the catalog's currency keeps that currency")
    func agreed() throws {
        // Version 0.1.0 charged the price of the catalog's storefront in every storefront.
        var shop = shop(
            storefront: "JPN",
            selling: [.plan(), .plan("lite", level: 2, at: 990)]
        )
        shop.open("ann", storefront: try storefront("JPN"))
        let row = try shop.buy("pro", by: "ann")
        #expect(row.price == Money(milliunits: 4_990, currency: "USD"))
        shop.catalog.settings.storefront = "USA"
        shop.advance(to: "2026-02-02")
        let renewed = shop.subscription("ann")?.latestTransaction
        #expect(renewed?.reason == .renewal && renewed?.price == Money(milliunits: 4_990, currency: "USD"))
        let raise = PriceRaise(productID: "pro", prices: .usd(5_990))
        shop.perform(Job(id: "raise", task: .raisePrice(raise)))
        let increase = shop.subscription("ann")?.priceIncrease
        #expect(increase?.price == Money(milliunits: 5_990, currency: "USD"))
    }

    @Test("An environment that rejects missing prices refuses the purchase, and names the product and the storefront")
    func refused() throws {
        let offer = Offer.payUpFront(.introductory, for: Period(2, .month), at: 1_990)
        var plan = Product.plan(offers: offer)
        plan.prices.byStorefront["DEU"] = Money(milliunits: 5_490, currency: "EUR")
        let shop = shop(selling: [plan, .season], .refuse)
        #expect(try price("coins", in: "USA", shop) == Money(milliunits: 990, currency: "USD"))
        #expect(try price("coins", in: "DEU", shop) == Money(milliunits: 1_190, currency: "EUR"))
        for product in ["coins", "season", "pro"] {
            #expect(throws: Refusal.noPrice(product: product, offer: nil, storefront: "FRA")) {
                try price(product, in: "FRA", shop)
            }
        }
        #expect(throws: Refusal.noPrice(product: "pro", offer: "introductory", storefront: "DEU")) {
            try price("pro", in: "DEU", shop)
        }
        var other = shop
        // A price in the purchase is also set by the operator.
        var purchase = Purchase(productID: "season", storefront: try storefront("FRA"))
        purchase.price = PriceOverride(milliunits: 8_990, currency: "EUR")
        let row = try other.perform(.purchase(purchase), by: "ann").transactionChanges.last?.after
        #expect(row?.price == Money(milliunits: 8_990, currency: "EUR"))
        let words = Refusal.noPrice(product: "season", offer: nil, storefront: "FRA").explanation
        #expect(words.contains("season") && words.contains("FRA") && words.contains("--missing-price"))
    }

    @Test("A subscriber can change only to a plan with a price, and until then pays the agreed price")
    func changes() throws {
        var shop = shop(selling: [.plan(), .plan("lite", level: 2, at: 990)])
        shop.open("ann", storefront: try storefront("FRA"))
        try shop.buy("pro", by: "ann")
        shop.policy.missingPrice = .refuse
        #expect(throws: Refusal.noPrice(product: "lite", offer: nil, storefront: "FRA")) {
            try shop.buy("lite", by: "ann")
        }
        shop.advance(to: "2026-02-02")
        let renewed = shop.subscription("ann")?.latestTransaction
        #expect(renewed?.reason == .renewal && renewed?.price == Money(milliunits: 4_990, currency: "EUR"))
    }
    @Test("A year that is billed upfront after a commitment has the price of a year")
    func yearAfterCommitment() throws {
        var shop = CoreShop(selling: [.plan("year", each: .year, at: 99_990, monthlyAt: 9_990)])
        try shop.buy("year", monthly: true)
        try shop.perform(.purchase(Purchase(productID: "year", billingPlan: .billedUpfront)))
        shop.advance(to: "2026-12-31")
        let info = try shop.renewalInfo()
        #expect(info.commitment?.price?.milliunits == 99_990 && info.renewalPrice?.milliunits == 99_990)
        shop.advance(to: "2027-01-02")
        let year = try #require(shop.subscription()?.latestTransaction)
        #expect(year.commitment == nil && year.price?.milliunits == 99_990)
    }
}
