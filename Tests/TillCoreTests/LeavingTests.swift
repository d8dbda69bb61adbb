import Foundation
import Testing
import TillCore
import TillTestSupport

/// A customer who turns renewal off while a payment is missing.
@Suite("Cancelling while a payment is missing")
struct LeavingTests {
    /// A family of two whose subscription could not be charged on 1 February; its grace lasts until the 17th.
    private static func shop() throws -> CoreShop {
        var policy = Policy(for: .sandbox)
        policy.grace = GracePeriod(days: 16)
        var shop = CoreShop(policy: policy, selling: [.plan(isShared: true)])
        try shop.buy("pro", by: "ann")
        try shop.join("bob", familyOf: "ann")
        try shop.perform(.useCard(.declined), by: "ann")
        return shop
    }

    /// Whether the customer cancelled in a grace period; nil if the customer did not cancel.
    private static func leftInGrace(_ state: SubscriptionState) -> Bool? {
        if case .expired(_, .customer(let leftInGrace), _) = state { leftInGrace } else { nil }
    }

    private static func leave(_ shop: inout CoreShop, on day: String) throws -> Subscription {
        shop.advance(to: day)
        try shop.cancelRenewal(of: "ann")
        return try #require(shop.subscription("ann"))
    }

    @Test("Cancelling within the grace period is recorded, also for the family's copies and in the store")
    func withinGrace() throws {
        var shop = try Self.shop()
        let left = try Self.leave(&shop, on: "2026-02-10")
        #expect(Self.leftInGrace(left.state) == true)
        let copy = try #require(shop.accounts["bob"]?.sharedSubscriptions.first)
        #expect(Self.leftInGrace(copy.state) == true)
        let stored = try JSONDecoder().decode(Subscription.self, from: JSONEncoder().encode(left))
        #expect(stored == left)
    }

    @Test("Cancelling after it is not")
    func afterGrace() throws {
        var shop = try Self.shop()
        let left = try Self.leave(&shop, on: "2026-02-20")
        #expect(Self.leftInGrace(left.state) == false)
    }

    @Test("Subscribing again resets it")
    func again() throws {
        var shop = try Self.shop()
        _ = try Self.leave(&shop, on: "2026-02-10")
        try shop.perform(.useCard(.accepted), by: "ann")
        try shop.buy("pro", by: "ann")
        let subscription = try #require(shop.subscription("ann"))
        #expect(subscription.status == .active)
    }
}
