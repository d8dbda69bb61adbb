import Testing
import TillCore
import TillTestSupport

@Suite("Finishing transactions, app account tokens and downloads")
struct DeliveryScheduleTests {
    private static let token = "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11"

    @Test("Finishing a transaction keeps its position in the history, and finishing it again does nothing")
    func finishing() throws {
        var shop = CoreShop(selling: [.coins])
        let row = try shop.buy("coins", by: "ann")
        let ledger = try shop.perform(.finish(row.id), by: "ann")
        #expect(ledger.transactionChanges.map(\.before) == [row.change])
        #expect(shop.rows[row.id]?.isFinished == true)
        #expect(shop.rows[row.id]?.change == row.change)
        #expect(try shop.perform(.finish(row.id), by: "ann").transactionChanges.isEmpty)
        #expect(throws: Refusal.unknownTransaction(TransactionID(1))) {
            try shop.perform(.finish(TransactionID(1)), by: "ann")
        }
    }

    @Test("An app account token is set on the current and later transactions; earlier transactions keep theirs")
    func tokens() throws {
        var shop = CoreShop(
            on: "2026-01-01",
            selling: [.plan("basic", level: 2), .plan("top")]
        )
        let first = try shop.buy("basic", by: "ann")
        let second = try shop.buy("top", by: "ann")
        try shop.perform(.setAppAccountToken(first.id, token: Self.token.uppercased()), by: "ann")
        #expect(shop.rows[first.id]?.appAccountToken == nil)
        #expect(shop.rows[second.id]?.appAccountToken == Self.token)
        #expect(shop.history("ann").last?.id == second.id)
        #expect(try shop.renewalInfo("ann").appAccountToken == Self.token)
        #expect(throws: Refusal.notOriginal(second.id, original: first.id)) {
            try shop.perform(.setAppAccountToken(second.id, token: Self.token), by: "ann")
        }
        #expect(throws: Refusal.badAppAccountToken("")) {
            try shop.perform(.setAppAccountToken(first.id, token: ""), by: "ann")
        }
        #expect(
            try shop.perform(.setAppAccountToken(first.id, token: Self.token), by: "ann").transactionChanges.isEmpty
        )
    }

    @Test("A second download keeps the date and version of the first download")
    func downloads() throws {
        var shop = CoreShop(selling: [])
        let first = AppTransaction(originalPurchaseDate: shop.now, originalApplicationVersion: "1.0")
        try shop.perform(.downloadApp(first), by: "ann")
        shop.advance(to: "2026-02-01")
        try shop.perform(
            .downloadApp(
                AppTransaction(
                    originalPurchaseDate: shop.now,
                    originalApplicationVersion: "2.0",
                    applicationVersion: "2.0"
                )
            ),
            by: "ann"
        )
        let kept = try #require(shop.accounts["ann"]?.appTransaction)
        #expect(kept.originalPurchaseDate == first.originalPurchaseDate)
        #expect(kept.originalApplicationVersion == "1.0")
        #expect(kept.applicationVersion == "2.0")
    }

    @Test("The same operations on the same ledger give the same transactions")
    func determinism() throws {
        func runOperations() throws -> [Transaction] {
            var shop = CoreShop(
                on: "2026-01-01",
                selling: [.plan(isShared: true, offers: .freeWeek), .coins]
            )
            try shop.join("bob", familyOf: "ann")
            let pro = try shop.buy("pro", by: "ann")
            try shop.buy("coins", by: "bob", quantity: 2)
            shop.advance(to: "2026-01-05")
            try shop.refund(pro, by: "ann")
            try shop.perform(.leaveFamily, by: "bob")
            return shop.history("ann") + shop.history("bob")
        }
        #expect(try runOperations() == runOperations())
    }

    @Test("Every refusal is a sentence that names the problem, without Swift type names")
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
