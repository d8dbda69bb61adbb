import Testing
import TillCore

@Suite("Buying")
struct PurchaseTests {
    @Test("A consumable can be bought repeatedly, one to ten at a time, for the total price")
    func consumables() throws {
        var shop = CoreShop(selling: [TestProducts.coins()])
        let first = try shop.buys("ann", "coins", quantity: 3)
        let second = try shop.buys("ann", "coins", quantity: 10)
        #expect(first.price == Money(milliunits: 2_970, currency: "USD"))
        #expect(first.quantity == 3)
        #expect(first.isOriginal && second.isOriginal)
        #expect(first.id != second.id)
        #expect(first.lineItem == nil && first.expiresDate == nil && first.groupID == nil)
        #expect(first.order != second.order)
        #expect(shop.history("ann").map(\.change) == [1, 2])
        for quantity in [0, -1, 11] {
            #expect(throws: Refusal.badQuantity(quantity, limit: 10, type: .consumable)) {
                try shop.buys("ann", "coins", quantity: quantity)
            }
        }
    }

    @Test("An owned non-consumable is free and returns the original purchase, until a refund")
    func nonConsumables() throws {
        var shop = CoreShop(selling: [TestProducts.skin()])
        let row = try shop.buys("ann", "skin")
        let account = try #require(shop.accounts["ann"])
        let again = try shop.act("ann", .purchase(Purchase(productID: "skin", price: PriceOverride(milliunits: 1))))
        #expect(again.events == [.alreadyOwned(row.id)])
        #expect(again.transactionChanges.isEmpty && again.notifications.isEmpty && again.transactions[row.id] == row)
        #expect(shop.accounts["ann"]?.rowCount == account.rowCount)
        #expect(throws: Refusal.badQuantity(2, limit: 1, type: .nonConsumable)) {
            try shop.buys("ann", "skin", quantity: 2)
        }
        #expect(throws: Refusal.badQuantity(2, limit: 1, type: .nonConsumable)) {
            try shop.buys("bob", "skin", quantity: 2)
        }
        try shop.refunds("ann", row)
        #expect(try shop.buys("ann", "skin").id != row.id)
    }

    @Test("An owned product needs no card, no parent and no code, also when a held purchase is approved")
    func ownedWithoutPayment() throws {
        var skin = TestProducts.skin()
        skin.offers = [Offer(kind: .code, id: "HALF", mode: .oneTime, prices: TestProducts.usd(990))]
        var shop = CoreShop(selling: [skin])
        let purchase = Purchase(productID: "skin")
        try shop.act("ann", .purchase(Purchase(productID: "skin", isInterrupted: true)))
        let row = try shop.buys("ann", "skin")
        let approved = try shop.act("ann", .decideHeldPurchase(number: 1, approved: true))
        #expect(approved.events == [.alreadyOwned(row.id)])
        try shop.act("ann", .setAskToBuy(true))
        #expect(try shop.act("ann", .purchase(purchase)).events == [.alreadyOwned(row.id)])
        try shop.act("ann", .setAskToBuy(false))
        try shop.act("ann", .useCard(.declined))
        let coded = Purchase(productID: "skin", offer: .code("HALF"))
        #expect(try shop.act("ann", .purchase(coded)).events == [.alreadyOwned(row.id)])
        #expect(shop.accounts["ann"]?.codesRedeemed.isEmpty == true && shop.history("ann").count == 1)
    }

    @Test("A family member with a copy can also buy the product, and then owns it")
    func ownedByFamily() throws {
        var shop = CoreShop(selling: [TestProducts.skin(shared: true)])
        let shared = try shop.buys("ann", "skin")
        try shop.joins("bob", familyOf: "ann")
        let own = try shop.buys("bob", "skin")
        #expect(own.ownership == .purchased && own.id != shared.id && own.isOriginal)
        #expect(try shop.act("bob", .purchase(Purchase(productID: "skin"))).events == [.alreadyOwned(own.id)])
        #expect(try shop.act("ann", .purchase(Purchase(productID: "skin"))).events == [.alreadyOwned(shared.id)])
    }

    @Test("A price without a currency is in that of the storefront in which the purchase is made")
    func priceCurrency() throws {
        let euro = Money(milliunits: 1_090, currency: "EUR")
        let prices = PriceList(standard: Money(milliunits: 990, currency: "USD"), byStorefront: ["DEU": euro])
        var shop = CoreShop(selling: [TestProducts.coins(price: prices)])
        shop.open("eva", storefront: "DEU")
        let price = PriceOverride(milliunits: 500)
        for (purchase, currency) in [
            (Purchase(productID: "coins", price: price), "EUR"),
            (Purchase(productID: "coins", storefront: .unitedStates, price: price), "USD"),
        ] {
            let row = try #require(try shop.act("eva", .purchase(purchase)).transactionChanges.last?.after)
            #expect(row.price == Money(milliunits: 500, currency: currency))
        }
    }

    @Test("A non-renewing subscription has no expiry and can be bought again")
    func nonRenewing() throws {
        var shop = CoreShop(selling: [TestProducts.season])
        let row = try shop.buys("ann", "season")
        #expect(row.expiresDate == nil)
        #expect(try shop.buys("ann", "season").id != row.id)
    }

    @Test("T1: a first purchase of a subscription starts a period now")
    func firstPurchase() throws {
        var shop = CoreShop(on: "2026-01-15", selling: [TestProducts.plan()])
        let row = try shop.buys("ann", "pro", token: "0F6F6E3C-6D3E-4A58-9B1D-6F0F7A0F5A11")
        #expect(row.isOriginal)
        #expect(row.lineItem != nil && row.lineItem != row.id.number)
        #expect(row.expiresDate == Timestamp(day: "2026-02-15"))
        #expect(row.reason == .purchase)
        #expect(row.offer == nil)
        #expect(row.appAccountToken == "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11")
        #expect(shop.events == [.subscribed(row.id)])
        let info = try shop.renewalInfo("ann")
        #expect(info.renewalDate == row.expiresDate)
        #expect(info.renewalPrice == Money(milliunits: 4_990, currency: "USD"))
        #expect(info.recentStart == row.purchaseDate)
        #expect(info.expirationIntent == nil && info.isInBillingRetry == nil)
    }

    @Test("Purchase dates are whole seconds, and no event is dated before the last one")
    func dates() throws {
        var shop = CoreShop(selling: [TestProducts.coins()])
        shop.advance(to: shop.now.advanced(milliseconds: 999))
        let row = try shop.buys("ann", "coins")
        #expect(row.purchaseDate.milliseconds % 1_000 == 0)
        #expect(row.modifiedDate == shop.now)
        let early = shop.now.advanced(milliseconds: -1)
        let account = try #require(shop.accounts["ann"])
        var ledger = Ledger(
            accounts: [account],
            catalog: shop.catalog,
            policy: Policy(for: .sandbox),
            identifiers: Identifiers(reserved: 1_000..<2_000),
            at: early
        )
        #expect(throws: Refusal.earlierThanLastEvent(at: early, last: shop.now)) {
            try ledger.perform(.purchase(Purchase(productID: "coins")), by: account.id)
        }
    }

    @Test("The storefront determines the price, the purchase may override both")
    func storefronts() throws {
        let euro = Money(milliunits: 1_090, currency: "EUR")
        let prices = PriceList(standard: Money(milliunits: 990, currency: "USD"), byStorefront: ["DEU": euro])
        var shop = CoreShop(selling: [TestProducts.coins(price: prices)])
        shop.open("eva", storefront: "DEU")
        #expect(try shop.buys("eva", "coins").price == euro)
        let japan = try #require(Storefront(code: "JPN"))
        var purchase = Purchase(productID: "coins", quantity: 2, storefront: japan)
        purchase.price = PriceOverride(milliunits: 300_000, currency: "JPY")
        let row = try #require(try shop.act("eva", .purchase(purchase)).transactionChanges.last?.after)
        #expect(row.storefront == japan)
        #expect(row.price == Money(milliunits: 600_000, currency: "JPY"))
        purchase.price = PriceOverride(milliunits: .max, currency: "JPY")
        #expect(throws: Refusal.badPrice(milliunits: .max)) { try shop.act("eva", .purchase(purchase)) }
    }

    @Test("A product that is not in the catalog, or no longer for sale, is refused")
    func absentProducts() {
        var skin = TestProducts.skin()
        skin.isForSale = false
        var shop = CoreShop(selling: [skin])
        #expect(throws: Refusal.unknownProduct("coins")) { try shop.buys("ann", "coins") }
        #expect(throws: Refusal.productNotForSale("skin")) { try shop.buys("ann", "skin") }
        shop.catalog.put(TestProducts.coins())
        #expect(throws: Refusal.badAppAccountToken("x")) { try shop.buys("ann", "coins", token: "x") }
    }

    @Test("T12: a lapsed subscription resumes under the same original, with any product of the group")
    func resubscription() throws {
        var shop = CoreShop(on: "2026-01-01", selling: [TestProducts.plan(), TestProducts.plan("max", level: 2)])
        let first = try shop.buys("ann", "pro")
        try shop.cancels("ann")
        // More than sixty days after the end.
        shop.advance(to: "2026-04-03")
        #expect(shop.status("ann") == .expired)
        let again = try shop.buys("ann", "max")
        #expect(again.originalID == first.id)
        #expect(again.originalPurchaseDate == first.purchaseDate)
        #expect(again.reason == .purchase)
        #expect(
            shop.events == [
                .subscribed(first.id), .autoRenewDisabled(first.id), .expired(first.id, .customer),
                .resubscribed(again.id),
            ]
        )
        #expect(try shop.renewalInfo("ann").recentStart == again.purchaseDate)
    }

    @Test("A short gap keeps the start of the run: sixty days at the calendar rate, in either environment")
    func recentStart() throws {
        for environment in StoreEnvironment.allCases {
            var shop = CoreShop(on: "2026-01-01", in: environment, selling: [TestProducts.plan()])
            let first = try shop.buys("ann", "pro")
            try shop.cancels("ann")
            shop.advance(to: "2026-04-01")
            try shop.buys("ann", "pro")
            #expect(try shop.renewalInfo("ann").recentStart == first.purchaseDate)
        }
        var shop = CoreShop(on: "2026-01-01", in: .production, selling: [TestProducts.plan()])
        try shop.buys("ann", "pro")
        try shop.cancels("ann")
        shop.advance(to: "2026-05-01")
        let again = try shop.buys("ann", "pro")
        #expect(try shop.renewalInfo("ann").recentStart == again.purchaseDate)
    }

    @Test("Groups are independent: each has a separate subscription")
    func groups() throws {
        var shop = CoreShop(selling: [TestProducts.plan(), TestProducts.plan("radio", group: "999")])
        let pro = try shop.buys("ann", "pro")
        let radio = try shop.buys("ann", "radio")
        #expect(pro.originalID != radio.originalID)
        #expect(throws: Refusal.alreadySubscribed(product: "pro", until: Timestamp(day: "2026-02-01"))) {
            try shop.buys("ann", "pro")
        }
    }
}
