import Testing
import TillCore
import TillTestSupport

/// A command is checked against the account at the time of the decision, whatever an earlier read returned.
@Suite("Commands check the present account")
struct JudgementTests {
    private static func subscribed(_ product: Product = .plan()) throws -> (CoreStage, TransactionID) {
        let other = Product.plan("max", level: 2)
        let radio = Product.plan("radio", group: "999")
        var stage = CoreStage(in: .sandbox, selling: [product, other, radio], at: Timestamp(day: "2026-01-01"))
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        return (stage, try #require(stage.accounts["ann"]?.subscriptions.first?.originalID))
    }

    private static func raisePrice(_ stage: inout CoreStage) {
        let raise = PriceRaise(productID: "pro", prices: .usd(9_990), consent: .required)
        stage.perform(Job(id: "raise", task: .raisePrice(raise)))
    }

    @Test("A price increase that needs no consent cannot be declined, and nothing is turned off")
    func declining() throws {
        let (opened, original) = try Self.subscribed()
        var stage = opened
        func refused() {
            #expect(throws: Refusal.noPriceIncrease(original)) {
                try stage.act("ann", .declinePriceIncrease(original))
            }
            #expect(stage.accounts["ann"]?.subscriptions.first?.preference.autoRenews == true)
        }
        refused()
        Self.raisePrice(&stage)
        // The customer has not been notified.
        refused()
        stage.advance(to: Timestamp(day: "2026-01-06"))
        // A concurrent request was faster.
        var accepted = stage
        try accepted.act("ann", .acceptPriceIncrease(original))
        #expect(throws: Refusal.noPriceIncrease(original)) {
            try accepted.act("ann", .declinePriceIncrease(original))
        }
        #expect(accepted.accounts["ann"]?.subscriptions.first?.preference.autoRenews == true)
        let ledger = try stage.act("ann", .declinePriceIncrease(original))
        #expect(ledger.events == [.autoRenewDisabled(original)])
        #expect(throws: Refusal.unknownSubscription(TransactionID(1))) {
            try stage.act("ann", .declinePriceIncrease(TransactionID(1)))
        }
    }

    @Test("A change of plan is refused when the subscription has ended, and never begins one")
    func changing() throws {
        let (opened, original) = try Self.subscribed()
        var stage = opened
        func change(_ product: String, by customer: String = "ann", of subscription: TransactionID? = nil) -> Command {
            var purchase = Purchase(productID: product)
            purchase.subscription = subscription ?? original
            return .purchase(purchase)
        }
        #expect(throws: Refusal.otherGroup(product: "radio", group: "20450880")) {
            try stage.act("ann", change("radio"))
        }
        #expect(throws: Refusal.unknownSubscription(TransactionID(1))) {
            try stage.act("ann", change("max", of: TransactionID(1)))
        }
        #expect(try stage.act("ann", change("max")).events.count == 1)
        try stage.act("ann", .turnAutoRenewOff(original))
        stage.advance(to: Timestamp(day: "2026-02-02"))
        let rows = stage.history("ann").count
        #expect(throws: Refusal.notSubscribed(original, since: Timestamp(day: "2026-02-01"))) {
            try stage.act("ann", change("max"))
        }
        #expect(stage.history("ann").count == rows)
        try stage.act("ann", .purchase(Purchase(productID: "max")))
    }

    @Test("A family member's copy is not changed, and a change that waits for a parent is bought when approved")
    func changingCopies() throws {
        let (opened, original) = try Self.subscribed(.plan(isShared: true))
        var stage = opened
        let ann = try #require(stage.accounts["ann"]?.id)
        try stage.act("bob", .joinFamily(of: ann, named: "family"))
        let copy = try #require(stage.accounts["bob"]?.sharedSubscriptions.first?.originalID)
        var purchase = Purchase(productID: "max")
        purchase.subscription = copy
        #expect(throws: Refusal.familyShared(copy)) { try stage.act("bob", .purchase(purchase)) }
        try stage.act("ann", .setAskToBuy(true))
        purchase.subscription = original
        try stage.act("ann", .purchase(purchase))
        try stage.act("ann", .turnAutoRenewOff(original))
        stage.advance(to: Timestamp(day: "2026-02-02"))
        try stage.act("ann", .decideHeldPurchase(number: 1, approved: true))
        #expect(stage.accounts["ann"]?.subscriptions.first?.latestTransaction.productID == "max")
    }
}
