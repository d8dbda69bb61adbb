import Foundation
import Testing
import TillCore
import TillTestSupport

/// Checks customers who turn off auto-renew after a renewal payment has failed.
@Suite("Cancelling after a failed renewal payment")
struct LeavingTests {
    /// A family of two whose renewal payment failed on 1 February; the grace period lasts until 17 February.
    private static func shop() throws -> CoreShop {
        var policy = Policy(for: .sandbox)
        policy.grace = GracePeriod(days: 16)
        var shop = CoreShop(policy: policy, selling: [.plan(isShared: true)])
        try shop.buy("pro", by: "ann")
        try shop.join("bob", familyOf: "ann")
        try shop.perform(.useCard(.declined), by: "ann")
        return shop
    }

    /// Whether the customer cancelled during the grace period; nil if the customer did not cancel.
    private static func leftInGrace(_ state: SubscriptionState) -> Bool? {
        if case .expired(_, .customer(let leftInGrace), _) = state { leftInGrace } else { nil }
    }

    private static func leave(_ shop: inout CoreShop, on day: String) throws -> Subscription {
        shop.advance(to: day)
        try shop.cancelRenewal(of: "ann")
        return try #require(shop.subscription("ann"))
    }

    @Test("A subscription records that its customer cancelled in the grace period, also for family members")
    func withinGrace() throws {
        var shop = try Self.shop()
        let left = try Self.leave(&shop, on: "2026-02-10")
        #expect(Self.leftInGrace(left.state) == true)
        let copy = try #require(shop.accounts["bob"]?.sharedSubscriptions.first)
        #expect(Self.leftInGrace(copy.state) == true)
        let stored = try JSONDecoder().decode(Subscription.self, from: JSONEncoder().encode(left))
        #expect(stored == left)
    }

    @Test("A subscription does not record a grace period if its customer cancelled after it")
    func afterGrace() throws {
        var shop = try Self.shop()
        let left = try Self.leave(&shop, on: "2026-02-20")
        #expect(Self.leftInGrace(left.state) == false)
    }

    @Test("A new purchase removes the record of the cancellation")
    func again() throws {
        var shop = try Self.shop()
        _ = try Self.leave(&shop, on: "2026-02-10")
        try shop.perform(.useCard(.accepted), by: "ann")
        try shop.buy("pro", by: "ann")
        let subscription = try #require(shop.subscription("ann"))
        #expect(subscription.status == .active)
    }
}
