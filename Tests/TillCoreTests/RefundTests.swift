import Testing
import TillCore
import TillTestSupport

@Suite("Refunds")
struct RefundTests {
    @Test("A refund revokes a transaction, and a reversal ends that; both move it to the end of the history")
    func fullAndBack() throws {
        var shop = CoreShop(selling: [.coins])
        let first = try shop.buy("coins", by: "ann")
        try shop.buy("coins", by: "ann")
        let refunded = try shop.refund(first, by: "ann", because: .issueInApp)
        #expect(refunded.revocation?.kind == .refundFull)
        #expect(refunded.revocation?.percentage == 100_000)
        #expect(refunded.revocation?.reason == .issueInApp)
        #expect(refunded.refundNumber == 1)
        #expect(refunded.price == first.price)
        #expect(shop.history("ann").last?.id == first.id)
        #expect(throws: (any Error).self) { try shop.refund(first, by: "ann") }
        try shop.perform(.reverseRefund(first.id), by: "ann")
        let restored = try #require(shop.rows[first.id])
        #expect(restored.revocation == nil && restored.refundNumber == nil)
        #expect(restored.change == refunded.change + 1)
        #expect(throws: Refusal.notRefunded(first.id)) { try shop.perform(.reverseRefund(first.id), by: "ann") }
        #expect(try shop.refund(first, by: "ann").refundNumber == 2)
    }

    @Test("A partial refund is in thousandths of a percent; a prorated refund is the unused part of the period")
    func prorated() throws {
        var shop = CoreShop(on: "2026-04-01T12:00:00Z", selling: [.plan(), .coins])
        let coins = try shop.buy("coins", by: "ann")
        #expect(try shop.refund(coins, by: "ann", .part(50_000)).revocation?.percentage == 50_000)
        #expect(shop.rows[coins.id]?.revocation?.kind == .refundProrated)
        let pro = try shop.buy("pro", by: "ann")
        shop.advance(to: "2026-04-16T12:00:00Z")
        #expect(try shop.refund(pro, by: "ann", .unused).revocation?.percentage == 50_000)
        #expect(shop.status("ann") == .revoked)
        for part in [0, 100_000, -1] {
            #expect(throws: Refusal.badPercentage(part)) {
                let row = try shop.buy("coins", by: "bob")
                try shop.refund(row, by: "bob", .part(part))
            }
        }
    }

    @Test("A period that has not begun gets a full refund, even if the developer prefers a prorated refund")
    func notBegun() throws {
        for isDecidedByPreference in [false, true] {
            var shop = CoreShop(on: "2026-04-01T12:00:00Z", in: .production, selling: [.plan()])
            try shop.buy("pro", by: "ann")
            shop.advance(to: "2026-04-30T13:00:00Z")
            let ahead = try #require(shop.subscription("ann")?.latestTransaction)
            #expect(ahead.purchaseDate > shop.now)
            if isDecidedByPreference {
                try shop.perform(.requestRefund(ahead.id, .other), by: "ann")
                try shop.perform(.reportConsumption(ahead.id, ConsumptionReport(preference: .grantProrated)), by: "ann")
                shop.advance(to: "2026-05-01T01:00:00Z")
            } else {
                try shop.refund(ahead, by: "ann", .unused)
            }
            let revocation = try #require(shop.rows[ahead.id]?.revocation)
            #expect(revocation.kind == .refundFull && revocation.percentage == 100_000)
        }
    }

    @Test("A one-time product or an ended period cannot get a prorated refund")
    func nothingLeft() throws {
        var shop = CoreShop(on: "2026-04-01", selling: [.plan(), .coins])
        let coins = try shop.buy("coins", by: "ann")
        let pro = try shop.buy("pro", by: "ann")
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-06-01")
        #expect(throws: Refusal.nothingLeftToProrate(coins.id)) { try shop.refund(coins, by: "ann", .unused) }
        #expect(throws: Refusal.nothingLeftToProrate(pro.id)) { try shop.refund(pro, by: "ann", .unused) }
    }

    @Test("A refund of the current period revokes the subscription, a refund of an older period does not")
    func statuses() throws {
        var shop = CoreShop(
            on: "2026-01-01",
            selling: [.plan("basic", level: 2), .plan("top", level: 1)]
        )
        let old = try shop.buy("basic", by: "ann")
        let new = try shop.buy("top", by: "ann")
        try shop.refund(old, by: "ann")
        #expect(shop.status("ann") == .active)
        try shop.refund(new, by: "ann")
        #expect(shop.status("ann") == .revoked)
        try shop.perform(.reverseRefund(new.id), by: "ann")
        #expect(shop.status("ann") == .active)
        try shop.refund(new, by: "ann")
        let again = try shop.buy("basic", by: "ann")
        #expect(shop.status("ann") == .active)
        #expect(again.originalID == old.id)
    }
}
