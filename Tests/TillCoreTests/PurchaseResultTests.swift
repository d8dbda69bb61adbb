import Testing
import TillCore
import TillTestSupport

@Suite("The result of a purchase")
struct PurchaseResultTests {
    private static let products: [Product] = [
        .coins,
        .plan(
            "basic",
            level: 2,
            offers: .payUpFront(.promotional, "stay", for: .month, at: 1_990),
            .payUpFront(.code, "SAVE", for: .month, at: 1_990)
        ),
        .plan("basic-year", level: 2, each: .year, at: 39_990),
        .plan("basic-twin", level: 2), .plan("top", level: 1, at: 9_990),
    ]

    private func result(
        _ shop: inout CoreShop,
        _ product: String,
        offer: OfferChoice = .automatic
    ) throws -> PurchaseResult? {
        try shop.perform(.purchase(Purchase(productID: product, offer: offer)), by: "ann").purchaseResult
    }

    @Test("A purchase reports whether it began a subscription, changed a plan, or scheduled a change")
    func results() throws {
        var shop = CoreShop(on: "2026-01-01", selling: Self.products)
        #expect(try result(&shop, "coins") == .purchased)
        #expect(try result(&shop, "basic") == .subscribed)
        #expect(try result(&shop, "basic", offer: .promotional("stay")) == .offerScheduled)
        #expect(try result(&shop, "basic", offer: .code("SAVE")) == .offerScheduled)
        #expect(try result(&shop, "basic-twin") == .crossgraded)
        #expect(try result(&shop, "basic-year") == .crossgradeScheduled)
        #expect(try result(&shop, "basic-twin") == .changeWithdrawn)
        #expect(try result(&shop, "top") == .upgraded)
        #expect(try result(&shop, "basic") == .downgradeScheduled)
        #expect(try result(&shop, "top") == .changeWithdrawn)
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-03-01")
        #expect(try result(&shop, "basic") == .resubscribed)
    }

    @Test("A held purchase reports that it is held, and after approval its result; a new payment method reports none")
    func others() throws {
        var shop = CoreShop(on: "2026-01-01", selling: Self.products)
        try shop.buy("basic", by: "ann")
        try shop.perform(.useCard(.declined), by: "ann")
        shop.advance(to: "2026-02-02")
        #expect(try shop.perform(.useCard(.accepted), by: "ann").purchaseResult == nil)
        var waiting = CoreShop(on: "2026-01-01", selling: Self.products)
        waiting.open("ann")
        try waiting.perform(.setAskToBuy(true), by: "ann")
        #expect(try result(&waiting, "coins") == .held)
        #expect(
            try waiting.perform(.decideHeldPurchase(number: 1, approved: true), by: "ann").purchaseResult == .purchased
        )
    }

    @Test("A purchase does not report a renewal that happened before it")
    func afterARenewal() throws {
        var shop = CoreShop(on: "2026-01-01", selling: Self.products)
        try shop.buy("top", by: "ann")
        shop.advance(to: "2026-02-15")
        #expect(try result(&shop, "basic") == .downgradeScheduled)
        #expect(PurchaseResult.allCases.filter(\.hasTransaction).count == 6)
    }
}
