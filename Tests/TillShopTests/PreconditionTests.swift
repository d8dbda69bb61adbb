import Testing
import TillCore
import TillShop
import TillStorage
import TillTesting

/// Scheduled work that an operator's change has made obsolete neither blocks a clock nor stays for ever.
@Suite("Obsolete scheduled work")
struct PreconditionTests {
    static let scope = AccountScope(environment: .production, app: TestShop.bundleID)
    static let clock = ClockName(scope)

    @Test("A renewal scheduled for the day before the end does not block the clock once the product is not for sale")
    func withdrawn() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        let trial = try await test.buy("pro", by: "eve", in: .production)
        let end = try #require(trial.expiresDate)
        let storage = test.shop.storage
        #expect(try await storage.nextDue(of: trial.account) == end.advanced(milliseconds: -86_400_000))
        _ = try await test.shop.updateCatalog(of: TestShop.bundleID) { catalog in
            var catalog = catalog
            var product = SampleProducts.monthly
            product.isForSale = false
            catalog.put(product)
            return catalog
        }
        let halfADayBefore = end.advanced(milliseconds: -43_200_000)
        let report = try await test.shop.advance(Self.clock, .to(halfADayBefore), settling: false)
        #expect(report.notifications.isEmpty)
        #expect(try await storage.nextDue(of: trial.account) == end)
        let rest = try await test.shop.advance(Self.clock, .to(end), settling: false)
        #expect(rest.notifications.map(\.words) == ["EXPIRED/PRODUCT_NOT_FOR_SALE"])
        #expect(try await storage.nextDue(of: trial.account) == nil)
    }

    @Test("Deliveries to a deleted endpoint are dropped, however they were queued")
    func deletedEndpoint() async throws {
        let test = try await TestShop(selling: SampleProducts.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        let endpoints = ["primary", "spare"].map { EndpointRecord(name: $0, url: "http://127.0.0.1:9/\($0)") }
        try await test.shop.updateRules(of: Self.scope) { $0.endpoints = endpoints }
        try await test.buy("coins", by: "eve", in: .production)
        // As a crash between the two halves of a deletion leaves it.
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
