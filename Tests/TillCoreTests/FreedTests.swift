import Testing
import TillCore
import TillTestSupport

/// Checks operations after which delayed events can happen. These events are processed with the operation, within the
/// same limits.
@Suite("Operations that let delayed events happen")
struct RetentionCopyTests {
    static let day: Int64 = 86_400_000

    private static func shop(_ environment: StoreEnvironment = .production, _ policy: Policy? = nil) -> CoreShop {
        CoreShop(in: environment, policy: policy, selling: [.plan(isShared: true), .skin.shared])
    }

    @Test("A refund reversed on the day before a renewal restores the family's access and renews at once")
    func reversalInsideTheLead() throws {
        var shop = Self.shop()
        let row = try shop.buy("pro", by: "ann")
        try shop.refund(row, by: "ann")
        for member in ["bob", "cat"] { try shop.join(member, familyOf: "ann") }
        let end = try #require(row.expiresDate)
        shop.advance(to: end.advanced(milliseconds: -3_600_000))
        try shop.perform(.reverseRefund(row.id), by: "ann")
        #expect(shop.complaints.isEmpty)
        #expect(shop.history("ann").count == 2 && shop.history("bob").count == 2)
    }

    @Test("A payment method that becomes valid after a long grace period pays all missed renewals")
    func manyRenewals() throws {
        var policy = Policy(for: .sandbox)
        policy.grace = GracePeriod(days: 28)
        var shop = Self.shop(.sandbox, policy)
        try shop.buy("pro", by: "ann")
        try shop.perform(.useCard(.declined), by: "ann")
        shop.advance(to: "2026-02-02")
        shop.policy.rate = .xcode1000
        try shop.perform(.useCard(.accepted), by: "ann")
        shop.advance(to: shop.now)
        #expect(shop.complaints.isEmpty)
        #expect(shop.history("ann").count > 90)
    }

    @Test("A refund that is granted at once also revokes the family's access")
    func decidedAtOnce() throws {
        var policy = Policy(for: .sandbox)
        policy.refundWindow = 0
        policy.refundRule = .alwaysGrant
        var shop = Self.shop(.sandbox, policy)
        let row = try shop.buy("skin", by: "ann")
        try shop.join("bob", familyOf: "ann")
        #expect(shop.accounts["bob"]?.productsOwned == ["skin"])
        try shop.perform(.requestRefund(row.id, .other), by: "ann")
        #expect(shop.accounts["bob"]?.productsOwned == [])
        #expect(shop.notifications.last?.type == .revoke)
    }

    @Test("A renewal has the announced price, even if another price increase was scheduled later")
    func announcedFirst() throws {
        var shop = Self.shop(.sandbox)
        try shop.buy("pro", by: "ann", offer: .none)
        func raise(to price: Int64, _ id: String) -> Job {
            Job(
                id: id,
                task: .raisePrice(PriceRaise(productID: "pro", prices: .usd(price), consent: .notNeeded))
            )
        }
        shop.perform(raise(to: 5_490, "first"))
        shop.advance(to: "2026-01-20")
        shop.perform(raise(to: 5_990, "second"))
        shop.advance(to: "2026-02-02")
        #expect(shop.subscription("ann")?.latestTransaction.price?.milliunits == 5_490)
    }
}
