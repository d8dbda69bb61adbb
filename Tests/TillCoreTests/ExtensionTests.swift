import Testing
import TillCore
import TillTestSupport

@Suite("Extensions of renewal dates")
struct ExtensionTests {
    private static func shop(
        _ environment: StoreEnvironment = .sandbox,
        extendsFirstPeriod: Bool = false,
        on day: String = "2026-01-05",
        selling product: Product = .plan()
    ) -> CoreShop {
        var policy = Policy(for: environment)
        policy.extendsFirstPeriod = extendsFirstPeriod
        return CoreShop(on: day, in: environment, policy: policy, selling: [product])
    }

    private func extend(_ shop: inout CoreShop, days: Int = 10, _ request: String) throws {
        let original = try #require(shop.subscription("ann")?.originalID)
        let wanted = Extension(subscription: original, days: days, reasonCode: 1, request: request)
        try shop.perform(.extend(wanted), by: "ann")
    }

    private func isRefused(_ shop: CoreShop) throws -> Bool {
        var shop = shop
        let original = try #require(shop.subscription("ann")?.originalID)
        do {
            try extend(&shop, "probe")
            return false
        } catch {
            #expect(error as? Refusal == .extensionIneligible(original, because: .firstPaidPeriod))
            return true
        }
    }

    @Test("Only a subscription with an earlier paid period can be extended; extendsFirstPeriod removes this condition")
    func firstPeriod() throws {
        var shop = Self.shop()
        try shop.buy("pro", by: "ann")
        #expect(try isRefused(shop))
        shop.policy.extendsFirstPeriod = true
        #expect(try !isRefused(shop))
        shop.policy.extendsFirstPeriod = false
        shop.advance(to: "2026-02-06")
        #expect(try !isRefused(shop))
        // The extended transaction is longer than a normal paid period.
        try extend(&shop, days: 90, "long")
        #expect(try !isRefused(shop))
    }

    @Test("A trial is not a paid period, also for a mass extension")
    func trial() throws {
        var shop = Self.shop(selling: .plan(offers: .freeWeek))
        try shop.buy("pro", by: "ann")
        shop.advance(to: "2026-01-13")
        #expect(shop.subscription("ann")?.latestTransaction.offer == nil)
        #expect(try isRefused(shop))
        let wanted = MassExtension(productID: "pro", days: 1, reasonCode: 0, request: "all")
        shop.perform(Job(id: "first", task: .extend(wanted)))
        #expect(shop.events.contains { if case .extensionFailed = $0 { true } else { false } })
        shop.advance(to: "2026-02-13")
        #expect(try !isRefused(shop))
    }

    @Test("A period charged ahead is no second paid period until it begins; a lapsed period is one")
    func chargedAhead() throws {
        var shop = Self.shop(.production)
        try shop.buy("pro", by: "ann")
        shop.advance(to: "2026-02-04T13:00:00Z")
        #expect(shop.history("ann").count == 2)
        #expect(try isRefused(shop))
        shop.advance(to: "2026-02-05T13:00:00Z")
        #expect(try !isRefused(shop))
        try shop.cancelRenewal(of: "ann")
        shop.advance(to: "2026-06-01")
        try shop.buy("pro", by: "ann")
        #expect(try !isRefused(shop))
    }

    @Test("An extension past the change to daylight saving time ends at the usual time of day")
    func timeOfDay() throws {
        var shop = Self.shop(
            extendsFirstPeriod: true,
            on: "2026-03-01T10:30:00Z",
            selling: .plan(each: .week)
        )
        try shop.buy("pro", by: "ann")
        #expect(shop.subscription("ann")?.renewalDate == Timestamp(day: "2026-03-08T10:30:00Z"))
        try extend(&shop, days: 7, "later")
        #expect(shop.subscription("ann")?.renewalDate == Timestamp(day: "2026-03-15T09:30:00Z"))
        shop.advance(to: "2026-03-16")
        #expect(shop.subscription("ann")?.renewalDate == Timestamp(day: "2026-03-22T09:30:00Z"))
    }
}
