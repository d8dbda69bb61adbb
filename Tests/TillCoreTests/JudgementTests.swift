import Testing
import TillCore
import TillTestSupport

/// Checks that a command is validated against the account at the time of the decision, and not against an earlier read.
@Suite("Commands are checked against the present account")
struct JudgementTests {
    private static func subscribed(_ product: Product = .plan()) throws -> (CoreShop, TransactionID) {
        let other = Product.plan("max", level: 2)
        let radio = Product.plan("radio", group: "999")
        var shop = CoreShop(selling: [product, other, radio])
        try shop.buy("pro", by: "ann")
        return (shop, try #require(shop.subscription("ann")?.originalID))
    }

    private static func raisePrice(_ shop: inout CoreShop) {
        let raise = PriceRaise(productID: "pro", prices: .usd(9_990), consent: .required)
        shop.perform(Job(id: "raise", task: .raisePrice(raise)))
    }

    @Test("A customer cannot decline a price increase that needs no consent, and auto-renew stays on")
    func declining() throws {
        let (opened, original) = try Self.subscribed()
        var shop = opened
        func refused() {
            #expect(throws: Refusal.noPriceIncrease(original)) {
                try shop.perform(.declinePriceIncrease(original), by: "ann")
            }
            #expect(shop.subscription("ann")?.preference.autoRenews == true)
        }
        refused()
        Self.raisePrice(&shop)
        // No notification has asked the customer for consent.
        refused()
        shop.advance(to: "2026-01-06")
        // A concurrent request accepted the increase first.
        var accepted = shop
        try accepted.perform(.acceptPriceIncrease(original), by: "ann")
        #expect(throws: Refusal.noPriceIncrease(original)) {
            try accepted.perform(.declinePriceIncrease(original), by: "ann")
        }
        #expect(accepted.subscription("ann")?.preference.autoRenews == true)
        let ledger = try shop.perform(.declinePriceIncrease(original), by: "ann")
        #expect(ledger.events == [.autoRenewDisabled(original)])
        #expect(throws: Refusal.unknownSubscription(TransactionID(1))) {
            try shop.perform(.declinePriceIncrease(TransactionID(1)), by: "ann")
        }
    }

    @Test("A plan change of an ended subscription is refused, and never begins a subscription")
    func changing() throws {
        let (opened, original) = try Self.subscribed()
        var shop = opened
        func change(_ product: String, by customer: String = "ann", of subscription: TransactionID? = nil) -> Command {
            var purchase = Purchase(productID: product)
            purchase.subscription = subscription ?? original
            return .purchase(purchase)
        }
        #expect(throws: Refusal.otherGroup(product: "radio", group: "20450880")) {
            try shop.perform(change("radio"), by: "ann")
        }
        #expect(throws: Refusal.unknownSubscription(TransactionID(1))) {
            try shop.perform(change("max", of: TransactionID(1)), by: "ann")
        }
        #expect(try shop.perform(change("max"), by: "ann").events.count == 1)
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-02-02")
        let rows = shop.history("ann").count
        #expect(throws: Refusal.notSubscribed(original, since: Timestamp(day: "2026-02-01"))) {
            try shop.perform(change("max"), by: "ann")
        }
        #expect(shop.history("ann").count == rows)
        try shop.buy("max", by: "ann")
    }

    @Test("A plan change leaves a shared subscription unchanged; a change held for Ask to Buy is bought after approval")
    func changingCopies() throws {
        let (opened, original) = try Self.subscribed(.plan(isShared: true))
        var shop = opened
        try shop.join("bob", familyOf: "ann")
        let copy = try #require(shop.accounts["bob"]?.sharedSubscriptions.first?.originalID)
        var purchase = Purchase(productID: "max")
        purchase.subscription = copy
        #expect(throws: Refusal.familyShared(copy)) { try shop.perform(.purchase(purchase), by: "bob") }
        try shop.perform(.setAskToBuy(true), by: "ann")
        purchase.subscription = original
        try shop.perform(.purchase(purchase), by: "ann")
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-02-02")
        try shop.perform(.decideHeldPurchase(number: 1, approved: true), by: "ann")
        #expect(shop.subscription("ann")?.latestTransaction.productID == "max")
    }
}
