import Testing
import TillCore
import TillTesting

/// Operations that unblock pending events: the events happen with the operation, within the same limits.
@Suite("Operations that unblock pending events")
struct RetentionCopyTests {
    static let day: Int64 = 86_400_000

    private static func stage(_ environment: StoreEnvironment = .production, _ policy: Policy? = nil) -> CoreStage {
        CoreStage(
            in: environment,
            selling: [TestProducts.plan(shared: true), TestProducts.skin(shared: true)],
            policy: policy,
            at: Timestamp(day: "2026-01-01")
        )
    }

    @Test("A refund reversed during the day of charging ahead restores the family's copies and renews at once")
    func reversalInsideTheLead() throws {
        var stage = Self.stage()
        let bought = try stage.act("ann", .purchase(Purchase(productID: "pro")))
        let row = try #require(bought.transactionChanges.first?.after)
        try stage.act("ann", .refund(Refund(transaction: row.id)))
        let ann = try #require(stage.accounts["ann"]?.id)
        for member in ["bob", "cat"] { try stage.act(member, .joinFamily(of: ann, named: "family")) }
        let end = try #require(row.expiresDate)
        stage.advance(to: end.advanced(milliseconds: -3_600_000))
        try stage.act("ann", .reverseRefund(row.id))
        #expect(stage.complaints.isEmpty)
        #expect(stage.history("ann").count == 2 && stage.history("bob").count == 2)
    }

    @Test("A card that becomes valid after a long grace at a fast rate catches up step by step")
    func manyRenewals() throws {
        var policy = Policy(for: .sandbox)
        policy.grace = GracePeriod(days: 28)
        var stage = Self.stage(.sandbox, policy)
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        try stage.act("ann", .useCard(.declined))
        stage.advance(to: Timestamp(day: "2026-02-02"))
        let rate = try #require(RenewalRate(name: "xcode-1000"))
        stage.policy.rate = rate
        try stage.act("ann", .useCard(.accepted))
        stage.advance(to: stage.now)
        #expect(stage.complaints.isEmpty)
        #expect(stage.history("ann").count > 90)
    }

    @Test("A refund decided at once also revokes the family's copies")
    func decidedAtOnce() throws {
        var policy = Policy(for: .sandbox)
        policy.refundWindow = 0
        policy.refundRule = .alwaysGrant
        var stage = Self.stage(.sandbox, policy)
        let bought = try stage.act("ann", .purchase(Purchase(productID: "skin")))
        let row = try #require(bought.transactionChanges.first?.after)
        let ann = try #require(stage.accounts["ann"]?.id)
        try stage.act("bob", .joinFamily(of: ann, named: "family"))
        #expect(stage.accounts["bob"]?.productsOwned == ["skin"])
        try stage.act("ann", .requestRefund(row.id, .other))
        #expect(stage.accounts["bob"]?.productsOwned == [])
        #expect(stage.notifications.last?.type == .revoke)
    }

    @Test("An announced price is charged, whatever change is scheduled after it")
    func announcedFirst() throws {
        var stage = Self.stage(.sandbox)
        try stage.act("ann", .purchase(Purchase(productID: "pro", offer: .none)))
        func raise(to price: Int64, _ id: String) -> Job {
            Job(
                id: id,
                task: .raisePrice(PriceRaise(productID: "pro", prices: TestProducts.usd(price), consent: .notNeeded))
            )
        }
        stage.perform(raise(to: 5_490, "first"))
        stage.advance(to: Timestamp(day: "2026-01-20"))
        stage.perform(raise(to: 5_990, "second"))
        stage.advance(to: Timestamp(day: "2026-02-02"))
        #expect(stage.accounts["ann"]?.subscriptions.first?.latestTransaction.price?.milliunits == 5_490)
    }
}
