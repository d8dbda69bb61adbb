import Testing
import TillCore
import TillTestSupport

@Suite("Plan changes within a subscription group")
struct PlanChangeTests {
    @Test(
        "A change to a higher level, or of the same level and duration, begins at once; any other at renewal",
        arguments: [
            // The columns are: old level, months of the old plan, new level, months of the new plan, begins at once.
            (2, 1, 1, 1, true), (2, 1, 1, 12, true), (1, 1, 1, 1, true), (1, 1, 1, 12, false),
            (1, 12, 1, 12, true), (1, 1, 2, 1, false), (1, 12, 2, 1, false),
        ]
    )
    func table(_ fromLevel: Int, _ fromMonths: Int, _ toLevel: Int, _ toMonths: Int, _ atOnce: Bool) {
        let from = SubscriptionPlan(groupID: "g", level: fromLevel, period: Period(fromMonths, .month))
        let to = SubscriptionPlan(groupID: "g", level: toLevel, period: Period(toMonths, .month))
        #expect((Ledger.effect(of: to, from: from) == .atOnce) == atOnce)
    }

    private static let products: [Product] = [
        .plan("basic", level: 2),
        .plan("top", level: 1, each: .year, at: 39_990),
    ]

    @Test("An upgrade begins now and marks the old transaction as upgraded, which the history reports as a change")
    func upgrade() throws {
        var shop = CoreShop(on: "2026-01-01", selling: Self.products)
        let old = try shop.buy("basic", by: "ann", token: "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11")
        shop.advance(to: "2026-01-10")
        let new = try shop.buy("top", by: "ann")
        #expect(new.originalID == old.id)
        #expect(new.lineItem != old.lineItem)
        #expect(new.expiresDate == Timestamp(day: "2027-01-10"))
        #expect(new.appAccountToken == old.appAccountToken)
        let marked = try #require(shop.rows[old.id])
        #expect(marked.isUpgraded && marked.expiresDate == old.expiresDate && marked.revocation == nil)
        #expect(shop.history("ann").map(\.id) == [old.id, new.id])
        #expect(marked.change > old.change)
        let info = try shop.renewalInfo("ann")
        #expect(info.productID == "top" && info.autoRenewProductID == "top")
        #expect(info.recentStart == old.purchaseDate)
        #expect(shop.events.last == .upgraded(from: old.id, to: new.id, withOffer: false))
    }

    @Test("A downgrade changes only the next period, and the customer can withdraw it")
    func downgrade() throws {
        var shop = CoreShop(on: "2026-01-01", selling: Self.products)
        let row = try shop.buy("top", by: "ann")
        try shop.buy("basic", by: "ann")
        #expect(shop.history("ann") == [row])
        var info = try shop.renewalInfo("ann")
        #expect(info.productID == "top" && info.autoRenewProductID == "basic")
        #expect(info.renewalPrice?.milliunits == 4_990)
        #expect(shop.events.last == .planChangeChosen(row.id, product: "basic", withOffer: false))
        try shop.buy("top", by: "ann")
        info = try shop.renewalInfo("ann")
        #expect(info.autoRenewProductID == "top")
        #expect(shop.events.last == .planChangeWithdrawn(row.id))
    }
}
