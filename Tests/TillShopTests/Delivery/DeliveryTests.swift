import Foundation
import Testing
import TillCore
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

/// Checks that deliveries reach their endpoint: retries, their order, and endpoints that do not delay each other.
@Suite("Deliveries")
struct DeliveryTests {
    static let hour: Int64 = 3_600_000

    static func scope(_ environment: StoreEnvironment = .sandbox) -> AccountScope {
        AccountScope(environment: environment, app: TestShop.bundleID)
    }

    /// A shop on a frozen clock that posts its notifications to one endpoint.
    static func shop(
        _ post: WebhookReceiver,
        _ settings: Settings = Settings(),
        in environment: StoreEnvironment = .sandbox
    ) async throws
        -> TestShop
    {
        let test = try await TestShop(selling: SampleCatalog.all, settings: settings)
        try await test.shop.setup.updateRules(of: scope(environment)) { $0.endpoints = [EndpointRecord(url: post.url)] }
        _ = try await test.shop.setClock(ClockName(scope(environment)), .freeze(at: nil))
        return test
    }

    static func attempts(_ test: TestShop, in environment: StoreEnvironment = .sandbox) async throws -> [[SendAttempt]]
    {
        let query = NotificationQuery(scope: scope(environment), endpoint: EndpointRecord.primary, limit: 100)
        var attempts: [[SendAttempt]] = []
        for entry in try await test.shop.storage.notifications(query) {
            attempts.append(try await test.shop.storage.deliveries(of: entry.id).first?.attempts ?? [])
        }
        return attempts
    }

    @Test("An endpoint that answers 500 gets the same bytes at 0, 1, 13, 37, 85 and 157 hours of simulated time")
    func retries() async throws {
        let post = try await WebhookReceiver.start { _ in .status(500) }
        let test = try await Self.shop(post)
        let deliveryWorker = try test.startSending()
        try await test.buy("coins", by: "ann")
        let clock = ClockName(Self.scope())
        let (_, deliveries) = try await test.advanceAndSettle(clock, .by(milliseconds: 400 * Self.hour))
        #expect(deliveries.delivered == 0 && deliveries.pending.map(\.due) == [nil])
        let received = try await post.requests(atLeast: 6, within: .seconds(120))
        #expect(received.count == 6 && Set(received.map(\.body)).count == 1)
        let attempts = try await Self.attempts(test)
        let first = try #require(attempts.first?.first)
        #expect(
            attempts[0].map { ($0.date.milliseconds - first.date.milliseconds) / Self.hour } == [0, 1, 13, 37, 85, 157]
        )
        #expect(attempts[0].allSatisfy { $0.result == .unsuccessfulHTTPResponseCode && $0.status == 500 })
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    /// The type of the version-2 notification that an endpoint received; nil for another version.
    private static func type(of body: [UInt8]) throws -> String? {
        struct Posted: Decodable { let signedPayload: String? }
        struct Payload: Decodable { let notificationType: String }
        guard let jws = try JSONDecoder().decode(Posted.self, from: Data(body)).signedPayload else { return nil }
        let payload = try #require(Base64URL.decode(Array(jws.utf8).split(separator: UInt8(ascii: "."))[1]))
        return try JSONDecoder().decode(Payload.self, from: Data(payload)).notificationType
    }

    @Test("A primary endpoint of version 1 gets a version-2 test notification, but no other version-2 notification")
    func testOfVersionTwo() async throws {
        let post = try await WebhookReceiver.start { _ in .status(200) }
        let test = try await Self.shop(post)
        let scope = Self.scope()
        try await test.shop.setup.updateRules(of: scope) {
            $0.endpoints = [EndpointRecord(url: post.url, version: .one)]
        }
        let deliveryWorker = try test.startSending()
        let token = try #require(try await test.shop.requestTest(in: scope)?.testNotificationToken)
        let first = try await post.requests(atLeast: 1, within: .seconds(60))
        #expect(try Self.type(of: first[0].body) == "TEST")
        // Until its answer is stored, the delivery is in progress, and a resend would be the same attempt.
        try await test.advanceAndSettle(ClockName(scope), .by(milliseconds: 1))
        let entry = try #require(try await test.shop.test(of: token, in: scope))
        // Get Test Notification Status and the notification history of Apple read this delivery.
        let delivery = try await test.shop.storage.deliveries(of: [entry.id], to: EndpointRecord.primary)[entry.id]
        #expect(delivery != nil)
        #expect(try await test.shop.resend(entry) == 1)
        _ = try await post.requests(atLeast: 2, within: .seconds(60))
        // A purchase is sent in version 1 only. A version-2 notification that was queued just before the primary
        // endpoint changed to version 1 is not sent.
        try await test.buy("pro", by: "ann")
        let caused = try #require(
            try await test.shop.storage.notifications(NotificationQuery(scope: scope, limit: 100)).first {
                $0.type == "SUBSCRIBED"
            }
        )
        try await test.shop.commit(
            Change(deliveries: [
                Delivery(of: caused, to: EndpointRecord.primary, clock: ClockName(scope), due: test.shop.now(in: scope))
            ]),
            signedBy: test.shop.signingChain
        )
        _ = try await test.shop.requestTest(in: scope)
        let (_, deliveries) = try await test.advanceAndSettle(ClockName(scope), .by(milliseconds: 1))
        #expect(deliveries.pending.allSatisfy { $0.due == nil })
        let all = try await post.requests(atLeast: 4, within: .seconds(60))
        let types = try all.map { try Self.type(of: $0.body) }
        // On a busy machine, a test may be sent again because its answer came late.
        #expect(types.filter { $0 == "TEST" }.count >= 3 && types.allSatisfy { $0 == "TEST" || $0 == nil })
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("Pending version-2 deliveries are discarded when the endpoint changes to version 1, except a test")
    func changedVersion() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let scope = Self.scope()
        func set(_ version: NotificationVersion, _ url: String = "http://127.0.0.1:9/") async throws {
            try await test.shop.setup.updateRules(of: scope) {
                $0.endpoints = [EndpointRecord(url: url, version: version)]
            }
        }
        func pending() async throws -> [String] {
            var types: [String] = []
            for entry in try await test.shop.storage.notifications(NotificationQuery(scope: scope, limit: 100)) {
                let due = try await test.shop.storage.deliveries(of: entry.id).filter { $0.due != nil }
                types += due.map { _ in entry.type }
            }
            return types
        }
        try await set(.two)
        try await test.buy("coins", by: "ann")
        #expect(try await pending() == ["ONE_TIME_CHARGE"])
        try await set(.one)
        #expect(try await pending() == [])
        #expect(try await test.shop.requestTest(in: scope) != nil)
        try await set(.one, "http://127.0.0.1:9/other")
        #expect(try await pending() == ["TEST"])
        try await test.shop.setup.updateRules(of: scope) { $0.endpoints = [] }
        #expect(try await pending() == [])
        #expect(try await test.shop.requestTest(in: scope) == nil)
    }

    @Test("A planned stop interrupts requests without logging an error")
    func stopped() async throws {
        let post = try await WebhookReceiver.start { _ in .status(200) }
        let test = try await Self.shop(post)
        let deliveryWorker = try test.startSending()
        let dispatch = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await deliveryWorker.dispatch(ClockName(Self.scope()))
        }
        await dispatch.value
        await test.stopSending(deliveryWorker)
        #expect(test.log.errors.isEmpty)
        try await post.stop()
    }

    @Test("Without settling, an event that falls due within an advance is sent after the advance, with its due date")
    func lateAttempts() async throws {
        let post = try await WebhookReceiver.start { _ in .status(503) }
        let test = try await Self.shop(post)
        let deliveryWorker = try test.startSending()
        try await test.buy("coins", by: "ann")
        let clock = ClockName(Self.scope())
        _ = try await test.shop.advance(clock, .by(milliseconds: 400 * Self.hour))
        let received = try await post.requests(atLeast: 6, within: .seconds(120))
        #expect(received.count == 6)
        try await test.advanceAndSettle(clock, .by(milliseconds: 1))
        let attempts = try await Self.attempts(test)
        let first = try #require(attempts.first?.first)
        #expect(
            attempts[0].map { ($0.date.milliseconds - first.date.milliseconds) / Self.hour } == [0, 1, 13, 37, 85, 157]
        )
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("An endpoint that recovers at the third attempt gets no fourth, and counts as failing until the third")
    func comesBack() async throws {
        let post = try await WebhookReceiver.start { $0.number < 3 ? .status(500) : .status(204) }
        let test = try await Self.shop(post)
        let deliveryWorker = try test.startSending()
        try await test.buy("coins", by: "ann")
        let clock = ClockName(Self.scope())
        let failures = NotificationQuery(
            scope: Self.scope(),
            endpoint: EndpointRecord.primary,
            onlyFailures: true,
            limit: 10
        )
        for (hours, stillFails) in [(0, true), (1, true), (12, false), (400, false)] as [(Int64, Bool)] {
            try await test.advanceAndSettle(clock, .by(milliseconds: hours * Self.hour))
            let found = try await test.shop.storage.notifications(failures)
            #expect(found.isEmpty == !stillFails, "after \(hours) hours")
        }
        #expect(post.requests.count == 3)
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("With Apple's retry profile, the sandbox makes one attempt and production six")
    func appleProfile() async throws {
        for (environment, count) in [(StoreEnvironment.sandbox, 1), (.production, 6)] {
            let post = try await WebhookReceiver.start { _ in .status(500) }
            let test = try await Self.shop(post, .apple, in: environment)
            let deliveryWorker = try test.startSending()
            try await test.buy("coins", by: "ann", in: environment)
            let clock = ClockName(Self.scope(environment))
            try await test.advanceAndSettle(clock, .by(milliseconds: 400 * Self.hour))
            #expect(post.requests.count == count)
            await test.stopSending(deliveryWorker)
            try await post.stop()
        }
    }

    @Test("The first attempts of one subscription are ordered: each starts after the previous attempt has ended")
    func order() async throws {
        let post = try await WebhookReceiver.start { .status(200, after: .milliseconds($0.number % 3 == 0 ? 60 : 5)) }
        let test = try await Self.shop(post)
        let deliveryWorker = try test.startSending()
        for customer in ["ann", "bob", "cat"] { try await test.buy("pro", by: customer) }
        let clock = ClockName(Self.scope())
        try await test.advanceAndSettle(clock, .byPeriod(Period(6, .month)))
        let query = NotificationQuery(scope: Self.scope(), endpoint: EndpointRecord.primary, limit: 100)
        let entries = try await test.shop.storage.notifications(query)
        var places: [TransactionID: [Int]] = [:]
        let bodies = post.requests.map(\.body)
        for entry in entries.sorted(by: { $0.id < $1.id }) {
            let body = Array(#"{"signedPayload":"\#(try await test.signedPayload(entry))"}"#.utf8)
            let place = try #require(bodies.firstIndex(of: body))
            places[try #require(entry.original), default: []].append(place)
        }
        #expect(places.count == 3 && places.values.allSatisfy { $0 == $0.sorted() && $0.count == 7 })
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("Deliveries of many frozen clocks to one endpoint are made at once")
    func manyClocks() async throws {
        let post = try await WebhookReceiver.start { _ in .status(200, after: .milliseconds(3)) }
        let test = try await Self.shop(post)
        let deliveryWorker = try test.startSending()
        let clocks = (0..<8).map { "clock-\($0)" }
        for clock in clocks {
            let name = ClockName(Self.scope(), own: clock)
            try await test.shop.createClock(name, .frozen(at: test.now))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for clock in clocks {
                group.addTask {
                    for number in 0..<25 {
                        _ = try await test.shop.perform(
                            .purchase(Purchase(productID: "coins")),
                            by: test.customer("\(clock)/\(number)"),
                            opening: Opening(clock: clock)
                        )
                    }
                }
            }
            try await group.waitForAll()
        }
        let received = try await post.requests(atLeast: 200, within: .seconds(60))
        #expect(received.count == 200)
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("A failing endpoint and a slow endpoint do not delay the deliveries of another app")
    func isolation() async throws {
        let healthy = try await WebhookReceiver.start { _ in .status(200) }
        let dead = try await WebhookReceiver.start { _ in .hang }
        let slow = try await WebhookReceiver.start { _ in .status(200, after: .seconds(9)) }
        // Even on a busy machine, two hundred deliveries take less time.
        var settings = Settings()
        settings.deliveryTimeout = 120
        let test = try await Self.shop(healthy, settings)
        var others: [CustomerName] = []
        for (number, post) in [dead, slow].enumerated() {
            let app = AppRecord(
                bundleID: "com.example.other\(number)",
                appleID: 5,
                name: "",
                issuerID: test.app.issuerID,
                createdAt: test.now
            )
            try await test.shop.registry.put(app)
            _ = try await test.shop.setup.updateCatalog(of: app.bundleID) { catalog in
                var catalog = catalog
                catalog.put(.coins)
                return catalog
            }
            let scope = AccountScope(environment: .sandbox, app: app.bundleID)
            try await test.shop.setup.updateRules(of: scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
            others.append(CustomerName(scope, "ann"))
        }
        let deliveryWorker = try test.startSending()
        for _ in 0..<40 {
            for other in others {
                _ = try await test.shop.perform(
                    .purchase(Purchase(productID: "coins")),
                    by: other,
                    opening: Opening()
                )
            }
        }
        #expect(try await dead.requests(atLeast: 1, within: .seconds(120)).isEmpty == false)
        for number in 0..<200 { try await test.buy("coins", by: "customer-\(number % 20)") }
        let received = try await healthy.requests(atLeast: 200, within: .seconds(110))
        #expect(received.count == 200)
        let ended = try await test.shop.storage.notifications(
            NotificationQuery(scope: others[0].scope, endpoint: EndpointRecord.primary, limit: 10)
        )
        #expect(ended.isEmpty, "the failing endpoint's first time-out came before the other deliveries had ended")
        await test.stopSending(deliveryWorker)
        for post in [healthy, dead, slow] { try await post.stop() }
    }
}
