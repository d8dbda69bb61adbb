import Testing
import TillCore
import TillTestSupport

@Suite("Purchases")
struct PurchaseTests {
    @Test("A customer can buy a consumable repeatedly, one to ten at a time, for the total price")
    func consumables() throws {
        var shop = CoreShop(selling: [.coins])
        let first = try shop.buy("coins", by: "ann", quantity: 3)
        let second = try shop.buy("coins", by: "ann", quantity: 10)
        #expect(first.price == Money(milliunits: 2_970, currency: "USD"))
        #expect(first.quantity == 3)
        #expect(first.isOriginal && second.isOriginal)
        #expect(first.id != second.id)
        #expect(first.lineItem == nil && first.expiresDate == nil && first.groupID == nil)
        #expect(first.order != second.order)
        #expect(shop.history("ann").map(\.change) == [1, 2])
        for quantity in [0, -1, 11] {
            #expect(throws: Refusal.badQuantity(quantity, limit: 10, type: .consumable)) {
                try shop.buy("coins", by: "ann", quantity: quantity)
            }
        }
    }

    @Test("Buying an owned non-consumable is free and returns the original purchase, until it is refunded")
    func nonConsumables() throws {
        var shop = CoreShop(selling: [.skin])
        let row = try shop.buy("skin", by: "ann")
        let account = try #require(shop.accounts["ann"])
        let again = try shop.perform(
            .purchase(Purchase(productID: "skin", price: PriceOverride(milliunits: 1))),
            by: "ann"
        )
        #expect(again.events == [.alreadyOwned(row.id)])
        #expect(again.transactionChanges.isEmpty && again.notifications.isEmpty && again.transactions[row.id] == row)
        #expect(shop.accounts["ann"]?.rowCount == account.rowCount)
        #expect(throws: Refusal.badQuantity(2, limit: 1, type: .nonConsumable)) {
            try shop.buy("skin", by: "ann", quantity: 2)
        }
        #expect(throws: Refusal.badQuantity(2, limit: 1, type: .nonConsumable)) {
            try shop.buy("skin", by: "bob", quantity: 2)
        }
        try shop.refund(row, by: "ann")
        #expect(try shop.buy("skin", by: "ann").id != row.id)
    }

    @Test("Buying an owned product needs no payment method, approval or code, also as a held purchase")
    func ownedWithoutPayment() throws {
        var skin = Product.skin
        skin.offers = [Offer(kind: .code, id: "HALF", mode: .oneTime, prices: .usd(990))]
        var shop = CoreShop(selling: [skin])
        let purchase = Purchase(productID: "skin")
        try shop.perform(.purchase(Purchase(productID: "skin", isInterrupted: true)), by: "ann")
        let row = try shop.buy("skin", by: "ann")
        let approved = try shop.perform(.decideHeldPurchase(number: 1, approved: true), by: "ann")
        #expect(approved.events == [.alreadyOwned(row.id)])
        try shop.perform(.setAskToBuy(true), by: "ann")
        #expect(try shop.perform(.purchase(purchase), by: "ann").events == [.alreadyOwned(row.id)])
        try shop.perform(.setAskToBuy(false), by: "ann")
        try shop.perform(.useCard(.declined), by: "ann")
        let coded = Purchase(productID: "skin", offer: .code("HALF"))
        #expect(try shop.perform(.purchase(coded), by: "ann").events == [.alreadyOwned(row.id)])
        #expect(shop.accounts["ann"]?.codesRedeemed.isEmpty == true && shop.history("ann").count == 1)
    }

    @Test("A family member with access to a product can also buy it, and then owns it")
    func ownedByFamily() throws {
        var shop = CoreShop(selling: [.skin.shared])
        let shared = try shop.buy("skin", by: "ann")
        try shop.join("bob", familyOf: "ann")
        let own = try shop.buy("skin", by: "bob")
        #expect(own.ownership == .purchased && own.id != shared.id && own.isOriginal)
        #expect(try shop.perform(.purchase(Purchase(productID: "skin")), by: "bob").events == [.alreadyOwned(own.id)])
        #expect(
            try shop.perform(.purchase(Purchase(productID: "skin")), by: "ann").events == [.alreadyOwned(shared.id)]
        )
    }

    @Test("A price without a currency is in the currency of the storefront of the purchase")
    func priceCurrency() throws {
        let euro = Money(milliunits: 1_090, currency: "EUR")
        let prices = PriceList(standard: Money(milliunits: 990, currency: "USD"), byStorefront: ["DEU": euro])
        var shop = CoreShop(selling: [.coins.with { $0.prices = prices }])
        shop.open("eva", storefront: try #require(Storefront(code: "DEU")))
        let price = PriceOverride(milliunits: 500)
        for (purchase, currency) in [
            (Purchase(productID: "coins", price: price), "EUR"),
            (Purchase(productID: "coins", storefront: .unitedStates, price: price), "USD"),
        ] {
            let row = try #require(try shop.perform(.purchase(purchase), by: "eva").transactionChanges.last?.after)
            #expect(row.price == Money(milliunits: 500, currency: currency))
        }
    }

    @Test("A non-renewing subscription has no expiration date and can be bought again")
    func nonRenewing() throws {
        var shop = CoreShop(selling: [.season])
        let row = try shop.buy("season", by: "ann")
        #expect(row.expiresDate == nil)
        #expect(try shop.buy("season", by: "ann").id != row.id)
    }

    @Test("The first purchase of a subscription begins a period now")
    func firstPurchase() throws {
        var shop = CoreShop(on: "2026-01-15", selling: [.plan()])
        let row = try shop.buy("pro", by: "ann", token: "0F6F6E3C-6D3E-4A58-9B1D-6F0F7A0F5A11")
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

    @Test("Purchase dates are whole seconds, and no event is dated before an earlier event")
    func dates() throws {
        var shop = CoreShop(selling: [.coins])
        shop.advance(to: shop.now.advanced(milliseconds: 999))
        let row = try shop.buy("coins", by: "ann")
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

    @Test("The storefront determines the price; the purchase may override storefront and price")
    func storefronts() throws {
        let euro = Money(milliunits: 1_090, currency: "EUR")
        let prices = PriceList(standard: Money(milliunits: 990, currency: "USD"), byStorefront: ["DEU": euro])
        var shop = CoreShop(selling: [.coins.with { $0.prices = prices }])
        shop.open("eva", storefront: try #require(Storefront(code: "DEU")))
        #expect(try shop.buy("coins", by: "eva").price == euro)
        let japan = try #require(Storefront(code: "JPN"))
        var purchase = Purchase(productID: "coins", quantity: 2, storefront: japan)
        purchase.price = PriceOverride(milliunits: 300_000, currency: "JPY")
        let row = try #require(try shop.perform(.purchase(purchase), by: "eva").transactionChanges.last?.after)
        #expect(row.storefront == japan)
        #expect(row.price == Money(milliunits: 600_000, currency: "JPY"))
        purchase.price = PriceOverride(milliunits: .max, currency: "JPY")
        #expect(throws: Refusal.badPrice(milliunits: .max)) { try shop.perform(.purchase(purchase), by: "eva") }
    }

    @Test("A purchase of a product that is unknown or not for sale is refused")
    func absentProducts() {
        var skin = Product.skin
        skin.isForSale = false
        var shop = CoreShop(selling: [skin])
        #expect(throws: Refusal.unknownProduct("coins")) { try shop.buy("coins", by: "ann") }
        #expect(throws: Refusal.productNotForSale("skin")) { try shop.buy("skin", by: "ann") }
        shop.catalog.put(.coins)
        #expect(throws: Refusal.badAppAccountToken("x")) { try shop.buy("coins", by: "ann", token: "x") }
    }

    @Test("A purchase of any product of the group renews a lapsed subscription under the same original transaction")
    func resubscription() throws {
        var shop = CoreShop(on: "2026-01-01", selling: [.plan(), .plan("max", level: 2)])
        let first = try shop.buy("pro", by: "ann")
        try shop.cancelRenewal(of: "ann")
        // 3 April is more than sixty days after the end of the subscription.
        shop.advance(to: "2026-04-03")
        #expect(shop.status("ann") == .expired)
        let again = try shop.buy("max", by: "ann")
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

    @Test("A gap of up to sixty days keeps recentSubscriptionStartDate at the calendar rate, in either environment")
    func recentStart() throws {
        for environment in StoreEnvironment.allCases {
            var shop = CoreShop(on: "2026-01-01", in: environment, selling: [.plan()])
            let first = try shop.buy("pro", by: "ann")
            try shop.cancelRenewal(of: "ann")
            shop.advance(to: "2026-04-01")
            try shop.buy("pro", by: "ann")
            #expect(try shop.renewalInfo("ann").recentStart == first.purchaseDate)
        }
        var shop = CoreShop(on: "2026-01-01", in: .production, selling: [.plan()])
        try shop.buy("pro", by: "ann")
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-05-01")
        let again = try shop.buy("pro", by: "ann")
        #expect(try shop.renewalInfo("ann").recentStart == again.purchaseDate)
    }

    @Test("A customer has a separate subscription in each subscription group")
    func groups() throws {
        var shop = CoreShop(selling: [.plan(), .plan("radio", group: "999")])
        let pro = try shop.buy("pro", by: "ann")
        let radio = try shop.buy("radio", by: "ann")
        #expect(pro.originalID != radio.originalID)
        #expect(throws: Refusal.alreadySubscribed(product: "pro", until: Timestamp(day: "2026-02-01"))) {
            try shop.buy("pro", by: "ann")
        }
    }
}
