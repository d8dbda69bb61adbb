import Testing
import TillCore
import TillShop
import TillStorage
import TillTestSupport

/// After a change by the operator, scheduled work may be obsolete. It must not block a clock or remain in the store.
@Suite("Obsolete scheduled work")
struct PreconditionTests {
    static let scope = AccountScope(environment: .production, app: TestShop.bundleID)
    static let clock = ClockName(scope)

    @Test("A renewal due a day before the end does not block the clock if the product was removed from sale")
    func withdrawn() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        let trial = try await test.buy("pro", by: "eve", in: .production)
        let end = try #require(trial.expiresDate)
        let storage = test.shop.storage
        #expect(try await storage.nextDue(of: trial.account) == end.advanced(milliseconds: -86_400_000))
        _ = try await test.shop.setup.updateCatalog(of: TestShop.bundleID) { catalog in
            var catalog = catalog
            var product = Product.pro
            product.isForSale = false
            catalog.put(product)
            return catalog
        }
        let halfADayBefore = end.advanced(milliseconds: -43_200_000)
        let report = try await test.shop.advance(Self.clock, .to(halfADayBefore))
        #expect(report.notifications.isEmpty)
        #expect(try await storage.nextDue(of: trial.account) == end)
        let rest = try await test.shop.advance(Self.clock, .to(end))
        #expect(rest.notifications.map(\.notice.words) == ["EXPIRED/PRODUCT_NOT_FOR_SALE"])
        #expect(try await storage.nextDue(of: trial.account) == nil)
    }

    @Test("Deliveries to a deleted endpoint are discarded, however they were queued")
    func deletedEndpoint() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        let endpoints = ["primary", "spare"].map { EndpointRecord(name: $0, url: "http://127.0.0.1:9/\($0)") }
        try await test.shop.setup.updateRules(of: Self.scope) { $0.endpoints = endpoints }
        try await test.buy("coins", by: "eve", in: .production)
        // This is the state after a crash between the two writes of a deletion.
        var rules = test.shop.registry.rules(of: Self.scope)
        rules.endpoints.removeAll { $0.name == "spare" }
        try await test.shop.registry.put(rules, of: Self.scope)
        let storage = test.shop.storage
        #expect(try await storage.pendingEndpoints().map(\.endpoint).sorted() == ["primary", "spare"])
        let deliveryWorker = try test.startSending()
        await deliveryWorker.discardUnneededDeliveries()
        #expect(try await storage.pendingEndpoints() == [EndpointName(Self.scope, "primary")])
        await test.stopSending(deliveryWorker)
    }
}
