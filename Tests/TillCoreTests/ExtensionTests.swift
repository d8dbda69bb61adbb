import Testing
import TillCore
import TillTestSupport

@Suite("Extensions of renewal dates")
struct ExtensionTests {
    private static func stage(
        _ environment: StoreEnvironment = .sandbox,
        extendsFirstPeriod: Bool = false,
        on day: String = "2026-01-05",
        selling product: Product = .plan()
    ) -> CoreStage {
        var policy = Policy(for: environment)
        policy.extendsFirstPeriod = extendsFirstPeriod
        return CoreStage(in: environment, selling: [product], policy: policy, at: Timestamp(day: day))
    }

    private func extend(_ stage: inout CoreStage, days: Int = 10, _ request: String) throws {
        let original = try #require(stage.accounts["ann"]?.subscriptions.first?.originalID)
        let wanted = Extension(subscription: original, days: days, reasonCode: 1, request: request)
        try stage.act("ann", .extend(wanted))
    }

    private func isRefused(_ stage: CoreStage) throws -> Bool {
        var stage = stage
        let original = try #require(stage.accounts["ann"]?.subscriptions.first?.originalID)
        do {
            try extend(&stage, "probe")
            return false
        } catch {
            #expect(error as? Refusal == .extensionIneligible(original, because: .firstPaidPeriod))
            return true
        }
    }

    @Test("By Apple's rule an earlier period must be paid; a setting allows extending the first one")
    func firstPeriod() throws {
        var stage = Self.stage()
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        #expect(try isRefused(stage))
        stage.policy.extendsFirstPeriod = true
        #expect(try !isRefused(stage))
        stage.policy.extendsFirstPeriod = false
        stage.advance(to: Timestamp(day: "2026-02-06"))
        #expect(try !isRefused(stage))
        // An extended row is longer than the paid period.
        try extend(&stage, days: 90, "long")
        #expect(try !isRefused(stage))
    }

    @Test("A trial is not a paid period, and a mass extension follows the same rule")
    func trial() throws {
        var stage = Self.stage(selling: .plan(offers: .freeWeek))
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        stage.advance(to: Timestamp(day: "2026-01-13"))
        #expect(stage.accounts["ann"]?.subscriptions.first?.latestTransaction.offer == nil)
        #expect(try isRefused(stage))
        let wanted = MassExtension(productID: "pro", days: 1, reasonCode: 0, request: "all")
        stage.perform(Job(id: "first", task: .extend(wanted)))
        #expect(stage.events.contains { if case .extensionFailed = $0 { true } else { false } })
        stage.advance(to: Timestamp(day: "2026-02-13"))
        #expect(try !isRefused(stage))
    }

    @Test("A period charged ahead does not turn the first one into an earlier one, a lapsed one does")
    func chargedAhead() throws {
        var stage = Self.stage(.production)
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        stage.advance(to: Timestamp(day: "2026-02-04T13:00:00Z"))
        #expect(stage.history("ann").count == 2)
        #expect(try isRefused(stage))
        stage.advance(to: Timestamp(day: "2026-02-05T13:00:00Z"))
        #expect(try !isRefused(stage))
        let original = try #require(stage.accounts["ann"]?.subscriptions.first?.originalID)
        try stage.act("ann", .turnAutoRenewOff(original))
        stage.advance(to: Timestamp(day: "2026-06-01"))
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        #expect(try !isRefused(stage))
    }

    @Test("An extension after the missing hour ends at the run's time of day")
    func timeOfDay() throws {
        var stage = Self.stage(
            extendsFirstPeriod: true,
            on: "2026-03-01T10:30:00Z",
            selling: .plan(each: .week)
        )
        try stage.act("ann", .purchase(Purchase(productID: "pro")))
        #expect(stage.accounts["ann"]?.subscriptions.first?.renewalDate == Timestamp(day: "2026-03-08T10:30:00Z"))
        try extend(&stage, days: 7, "later")
        #expect(stage.accounts["ann"]?.subscriptions.first?.renewalDate == Timestamp(day: "2026-03-15T09:30:00Z"))
        stage.advance(to: Timestamp(day: "2026-03-16"))
        #expect(stage.accounts["ann"]?.subscriptions.first?.renewalDate == Timestamp(day: "2026-03-22T09:30:00Z"))
    }
}
