import Foundation
import Testing
import TillCore
import TillTestSupport

/// A customer who turns renewal off while a payment is missing.
@Suite("Cancelling while a payment is missing")
struct LeavingTests {
    /// A family of two whose subscription could not be charged on 1 February; its grace lasts until the 17th.
    private static func stage() throws -> CoreStage {
        var policy = Policy(for: .sandbox)
        policy.grace = GracePeriod(days: 16)
        var stage = CoreStage(
            in: .sandbox,
            selling: [.plan(isShared: true)],
            policy: policy,
            at: Timestamp(day: "2026-01-01")
        )
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        let ann = try #require(stage.accounts["ann"]?.id)
        try stage.act("bob", .joinFamily(of: ann, named: "family"))
        try stage.act("ann", .useCard(.declined))
        return stage
    }

    /// Whether the customer cancelled in a grace period; nil if the customer did not cancel.
    private static func leftInGrace(_ state: SubscriptionState) -> Bool? {
        if case .expired(_, .customer(let leftInGrace), _) = state { leftInGrace } else { nil }
    }

    private static func leave(_ stage: inout CoreStage, on day: String) throws -> Subscription {
        stage.advance(to: Timestamp(day: day))
        let original = try #require(stage.accounts["ann"]?.subscriptions.first?.originalID)
        try stage.act("ann", .turnAutoRenewOff(original))
        return try #require(stage.accounts["ann"]?.subscriptions.first)
    }

    @Test("Cancelling within the grace period is recorded, also for the family's copies and in the store")
    func withinGrace() throws {
        var stage = try Self.stage()
        let left = try Self.leave(&stage, on: "2026-02-10")
        #expect(Self.leftInGrace(left.state) == true)
        let copy = try #require(stage.accounts["bob"]?.sharedSubscriptions.first)
        #expect(Self.leftInGrace(copy.state) == true)
        let stored = try JSONDecoder().decode(Subscription.self, from: JSONEncoder().encode(left))
        #expect(stored == left)
    }

    @Test("Cancelling after it is not")
    func afterGrace() throws {
        var stage = try Self.stage()
        let left = try Self.leave(&stage, on: "2026-02-20")
        #expect(Self.leftInGrace(left.state) == false)
    }

    @Test("Subscribing again resets it")
    func again() throws {
        var stage = try Self.stage()
        _ = try Self.leave(&stage, on: "2026-02-10")
        try stage.act("ann", .useCard(.accepted))
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        let subscription = try #require(stage.accounts["ann"]?.subscriptions.first)
        #expect(subscription.status == .active)
    }
}
