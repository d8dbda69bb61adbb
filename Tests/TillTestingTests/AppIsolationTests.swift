import Foundation
import Testing
import TillControl

@testable import TillTesting

@Suite("Each test has an app of its own")
struct AppIsolationTests {
    @Test("Apps that are used at the same time do not see each other's customers, clocks and notifications")
    func parallel() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...4 {
                group.addTask {
                    try await TestedServer.withApp {
                        let app = try Till.app
                        let start = try await app.clock.now
                        try await app.customer("customer-\(number)").buy("pro.month")
                        try await app.clock.advance(to: start.advanced(milliseconds: Int64(number) * 86_400_000))
                        let customers = try await app.control.send(ListCustomers(app: app.scope)).customers
                        #expect(customers.map(\.customer) == ["customer-\(number)"])
                        #expect(try Till.endpoint.received.map(\.type) == [.subscribed])
                        #expect(try await app.clock.now.milliseconds - start.milliseconds == Int64(number) * 86_400_000)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("On a server that goes on, a test deletes its app and its key, also if it fails")
    func deleted() async throws {
        struct Failed: Error {}
        let server = try await TestedServer.start(isTemporary: false)
        try await Till.withApp(catalog: TestedServer.catalog, on: server) {
            _ = try await Till.app.customer("ann").buy("coins.10")
        }
        await #expect(throws: Failed.self) {
            try await Till.withApp(catalog: TestedServer.catalog, on: server) { throw Failed() }
        }
        #expect(try await server.control.send(ListApps()).isEmpty)
        #expect(try await server.control.send(ListKeys()).isEmpty)
    }

    @Test("A snapshot restores purchases and the clock")
    func snapshot() async throws {
        try await TestedServer.withApp {
            let (app, start) = (try Till.app, try await Till.clock.now)
            let ann = app.customer("ann")
            try await ann.buy("coins.10")
            try await app.withSnapshot {
                try await ann.buy("pro.month")
                try await app.clock.advanceToNextEvent()
                try await app.clock.advance("1mo")
            }
            #expect(try await ann.transactions().map(\.productId) == ["coins.10"])
            #expect(try await app.clock.now == start)
            #expect(try await app.control.send(ListSnapshots()).allSatisfy { $0.bundleId != app.bundleId })
        }
    }

    @Test("A card that is declined and then accepted, and a subscription that is canceled and resumed")
    func operations() async throws {
        try await TestedServer.withApp {
            let app = try Till.app
            let ann = app.customer("ann")
            let bought = try await ann.buy("pro.month")
            try await ann.cancel()
            try await ann.resume(bought)
            try await ann.declineCard()
            try await Till.clock.advance(
                to: bought.expiresDate?.advanced(milliseconds: 1_000) ?? bought.info.purchaseDate
            )
            #expect(try await ann.subscription("pro.month").status == .billingRetry)
            try await ann.acceptCard()
            let received = try Till.endpoint.received.map(\.description)
            #expect(
                received == [
                    "SUBSCRIBED/INITIAL_BUY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
                    "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", "DID_FAIL_TO_RENEW", "DID_RENEW/BILLING_RECOVERY",
                ]
            )
            let error = await #expect(throws: TillTestingError.self) { try await ann.subscription("pro.year") }
            #expect(error?.description == "ann has no subscription to pro.year. Subscriptions: pro.month.")
            try await ann.refund()
            #expect(try await ann.subscription().status == .revoked)
            await #expect(throws: ControlFailure.self) { try await app.customer("bob").refund() }
        }
    }

    @Test("The clock of an app can start in the past")
    func start() async throws {
        let server = try await TestedServer.shared()
        try await Till.withApp(catalog: TestedServer.catalog, start: "2025-01-31T12:00:00Z", on: server) {
            #expect(try await Till.clock.now == Timestamp(milliseconds: 1_738_324_800_000))
            let bought = try await Till.app.customer("ann").buy("pro.month")
            try await Till.clock.advance(to: #require(bought.expiresDate))
            let renewed = try await Till.endpoint.expect(.didRenew)
            #expect(renewed.transaction?.purchaseDate == bought.expiresDate)
        }
        #expect(try Timestamp(testTime: "2025-01-31") == Timestamp(milliseconds: 1_738_281_600_000))
        await #expect(throws: TillTestingError.self) {
            try await Till.withApp(catalog: TestedServer.catalog, start: "soon", on: server) {}
        }
    }

    @Test("When the process of the tests ends, its apps, keys and snapshots on a server that goes on are deleted")
    func cleanedUp() async throws {
        let control = try await ServerProcess(program: TestedServer.program).ready()
        var created: Till.Server? = try await Till.Server(control: control)
        let document = try #require(FileManager.default.contents(atPath: TestedServer.catalog))
        var app: Till.App? = try await .create(
            on: #require(created),
            .sandbox,
            storeKitFile: Array(document),
            start: nil
        )
        created?.cleanup?.remember("test-s", ["/v1/snapshots/test-s"])
        let client = ControlClient(control)
        _ = try await client.send(SaveSnapshot(name: "test-s", bundleId: app?.bundleId))
        #expect(try await client.send(ListApps()).count == 1)
        // The end of the process closes the pipe, too.
        (created, app) = (nil, nil)
        let end = ContinuousClock.now + .seconds(120)
        while try await !client.send(ListApps()).isEmpty {
            try #require(ContinuousClock.now < end, "the app was not deleted")
            try await Task.sleep(for: .milliseconds(20))
        }
        while try await !client.send(ListSnapshots()).isEmpty {
            try #require(ContinuousClock.now < end, "the snapshot was not deleted")
            try await Task.sleep(for: .milliseconds(20))
        }
        #expect(try await client.send(ListKeys()).isEmpty)
    }

    @Test("Without the trait, a test has no app")
    func withoutTrait() {
        #expect(throws: TillTestingError.self) { try Till.app }
        #expect(throws: TillTestingError.self) { try Till.endpoint }
    }

    @Test("A catalog that is missing or refused is reported, and leaves no app")
    func catalogs() async throws {
        let server = try await TestedServer.shared()
        await #expect(throws: TillTestingError.self) {
            try await Till.withApp(catalog: "/missing/Shop.storekit", on: server) {}
        }
        await #expect(throws: ControlFailure.self) { try await Till.withApp(catalog: #filePath, on: server) {} }
    }
}
