import Testing
import TillCore

@Suite("Finishing, tokens, downloads")
struct DeliveryScheduleTests {
    private static let token = "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11"

    @Test("Finishing keeps the row's place in the history, and repeating it does nothing")
    func finishing() throws {
        var shop = CoreShop(selling: [TestProducts.coins()])
        let row = try shop.buys("ann", "coins")
        let ledger = try shop.act("ann", .finish(row.id))
        #expect(ledger.transactionChanges.map(\.before) == [row.change])
        #expect(shop.rows[row.id]?.isFinished == true)
        #expect(shop.rows[row.id]?.change == row.change)
        #expect(try shop.act("ann", .finish(row.id)).transactionChanges.isEmpty)
        #expect(throws: Refusal.unknownTransaction(TransactionID(1))) { try shop.act("ann", .finish(TransactionID(1))) }
    }

    @Test("A token is set on the current transaction and later ones, earlier ones keep theirs")
    func tokens() throws {
        var shop = CoreShop(
            on: "2026-01-01",
            selling: [TestProducts.plan("basic", level: 2), TestProducts.plan("top")]
        )
        let first = try shop.buys("ann", "basic")
        let second = try shop.buys("ann", "top")
        try shop.act("ann", .setAppAccountToken(first.id, token: Self.token.uppercased()))
        #expect(shop.rows[first.id]?.appAccountToken == nil)
        #expect(shop.rows[second.id]?.appAccountToken == Self.token)
        #expect(shop.history("ann").last?.id == second.id)
        #expect(try shop.renewalInfo("ann").appAccountToken == Self.token)
        #expect(throws: Refusal.notOriginal(second.id, original: first.id)) {
            try shop.act("ann", .setAppAccountToken(second.id, token: Self.token))
        }
        #expect(throws: Refusal.badAppAccountToken("")) {
            try shop.act("ann", .setAppAccountToken(first.id, token: ""))
        }
        #expect(try shop.act("ann", .setAppAccountToken(first.id, token: Self.token)).transactionChanges.isEmpty)
    }

    @Test("A second download keeps the first one's date and version")
    func downloads() throws {
        var shop = CoreShop(selling: [])
        let first = AppTransaction(originalPurchaseDate: shop.now, originalApplicationVersion: "1.0")
        try shop.act("ann", .downloadApp(first))
        shop.advance(to: "2026-02-01")
        try shop.act(
            "ann",
            .downloadApp(
                AppTransaction(
                    originalPurchaseDate: shop.now,
                    originalApplicationVersion: "2.0",
                    applicationVersion: "2.0"
                )
            )
        )
        let kept = try #require(shop.accounts["ann"]?.appTransaction)
        #expect(kept.originalPurchaseDate == first.originalPurchaseDate)
        #expect(kept.originalApplicationVersion == "1.0")
        #expect(kept.applicationVersion == "2.0")
    }

    @Test("The same operations on the same ledger give the same rows: the rules have no clock and no randomness")
    func determinism() throws {
        func runOperations() throws -> [Transaction] {
            var shop = CoreShop(
                on: "2026-01-01",
                selling: [TestProducts.plan(shared: true, offers: [TestProducts.trial]), TestProducts.coins()]
            )
            try shop.joins("bob", familyOf: "ann")
            let pro = try shop.buys("ann", "pro")
            try shop.buys("bob", "coins", quantity: 2)
            shop.advance(to: "2026-01-05")
            try shop.refunds("ann", pro)
            try shop.act("bob", .leaveFamily)
            return shop.history("ann") + shop.history("bob")
        }
        #expect(try runOperations() == runOperations())
    }

    @Test("Every refusal has a sentence that says what was wrong, without Swift type names")
    func explanations() {
        let refusals: [Refusal] = [
            .unknownAccount("ann"), .unknownProduct("x"), .productNotForSale("x"),
            .otherGroup(product: "x", group: "1"),
            .laterThanClock(at: Timestamp(seconds: 1), now: Timestamp(seconds: 0)),
            .badQuantity(11, limit: 10, type: .consumable), .badPrice(milliunits: -1), .winBackNotYet(offer: "o"),
            .unknownOffer(product: "x", kind: .code, id: "o"), .codeUsedUp(offer: "o", limit: 1),
            .alreadyRevoked(TransactionID(5), on: Timestamp(milliseconds: 9)), .badPercentage(0),
        ]
        for refusal in refusals {
            #expect(refusal.explanation.hasSuffix("."))
            #expect(refusal.explanation.count > 20)
            #expect(!refusal.explanation.contains("Optional("))
            #expect(!refusal.explanation.contains("TransactionID"))
        }
    }
}
