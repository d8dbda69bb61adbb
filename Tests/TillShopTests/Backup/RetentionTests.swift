import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

@Suite("Retention of notifications")
struct RetentionTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let day: Int64 = 86_400_000

    private func notifications(_ test: TestShop, in environment: StoreEnvironment = .sandbox) async throws -> Int {
        let scope = AccountScope(environment: environment, app: TestShop.bundleID)
        return try await test.shop.storage.notifications(NotificationQuery(scope: scope, limit: 1_000)).count
    }

    @Test(
        "A notification is deleted after its environment's retention period, and the doctor misses nothing",
        arguments: TestEngine.allCases
    )
    func ages(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        let shop = test.shop
        for environment in StoreEnvironment.allCases { try await test.buy("coins", by: "ann", in: environment) }
        try await shop.retention.noteHighWaterMark()
        test.advance(20 * Self.day)
        try await shop.retention.noteHighWaterMark()
        #expect(try await shop.retention.prune() == PruneReport())
        try await test.buy("coins", by: "ann")
        test.advance(11 * Self.day)
        try await shop.retention.noteHighWaterMark()
        #expect(try await shop.retention.prune(isDryRun: true).notifications == 1)
        #expect(try await notifications(test) == 2)
        #expect(try await shop.retention.prune() == PruneReport(notifications: 1))
        #expect(try await notifications(test) == 1)
        #expect(try await notifications(test, in: .production) == 1)
        #expect(try await shop.storage.examine() == [])
        test.advance(160 * Self.day)
        #expect(try await shop.retention.prune().notifications == 2)
        #expect(try await shop.retention.prune() == PruneReport())
    }

    @Test("An advance of ten years or a simulated date in the past does not make a notification old")
    func runningAdvances() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let shop = test.shop
        for _ in 0..<40 {
            try await shop.retention.noteHighWaterMark()
            test.advance(Self.day)
        }
        let present = test.now
        _ = try await shop.perform(
            .purchase(Purchase(productID: "coins")),
            by: test.customer("vera"),
            at: present.advanced(milliseconds: -300 * Self.day),
            opening: Opening()
        )
        try await test.buy("pro", by: "ann")
        _ = try await shop.advance(ClockName(Self.scope), .byPeriod(Period(10, .year)))
        let count = try await notifications(test)
        #expect(count > 100)
        test.advance(Self.day)
        #expect(try await shop.retention.prune() == PruneReport())
        #expect(try await notifications(test) == count)
    }

    @Test("A notification is kept while the history on a frozen clock can return it")
    func frozen() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(ClockName(Self.scope), .freeze(at: nil))
        try await test.buy("coins", by: "ann")
        try await test.shop.retention.noteHighWaterMark()
        test.advance(400 * Self.day)
        #expect(try await test.shop.retention.prune() == PruneReport())
    }

    @Test("Pending notifications are kept at any age, and a retention of 0 keeps every notification")
    func pending() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "http://127.0.0.1:9/a")]
        }
        try await test.buy("coins", by: "ann")
        try await test.shop.retention.noteHighWaterMark()
        test.advance(40 * Self.day)
        #expect(try await test.shop.retention.prune() == PruneReport(pending: 1))
        try await test.shop.storage.dropDeliveries(to: EndpointRecord.primary, in: Self.scope)
        #expect(try await test.shop.retention.prune() == PruneReport(notifications: 1, deliveries: 1))

        var settings = Settings()
        settings.notificationDays = 0
        settings.allowReset = false
        let keeping = try await TestShop(selling: SampleCatalog.all, settings: settings)
        try await keeping.buy("coins", by: "ann")
        try await keeping.shop.retention.noteHighWaterMark()
        keeping.advance(4_000 * Self.day)
        #expect(try await keeping.shop.retention.prune() == PruneReport())
        await #expect(throws: StateRefused.forbidden) { try await keeping.shop.retention.prune(olderThan: 1) }
    }

    @Test("An explicit number of days counts simulated time only; pages are deleted one at a time")
    func named() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let many = Retention.page + 5
        for _ in 0..<many { try await test.buy("coins", by: "ann") }
        test.advance(2 * Self.day)
        #expect(try await test.shop.retention.prune(olderThan: 3) == PruneReport())
        #expect(try await test.shop.retention.prune(olderThan: 1).notifications == many)
        #expect(try await notifications(test) == 0)
        #expect(try await test.shop.storage.examine() == [])
    }

    @Test("The age of an imported state counts from its import, and the doctor does not miss what was deleted")
    func imported() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("coins", by: "ann")
        test.advance(2 * Self.day)
        #expect(try await test.shop.retention.prune(olderThan: 1).notifications == 1)
        try await test.buy("coins", by: "ann")
        var text: [UInt8] = []
        try await test.shop.snapshots.export(nil) { text += $0 }
        let other = try await TestShop()
        try await other.shop.retention.noteHighWaterMark()
        var state = try StateImport(other.shop)
        try await state.take(text[...])
        _ = try await state.finish()
        #expect(try await other.shop.storage.examine() == [])
        other.advance(400 * Self.day)
        #expect(try await other.shop.retention.prune() == PruneReport())
    }
}
