import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillTestSupport

@testable import TillServer

/// Checks that the answer of an operation waits for the deliveries that the operation causes.
@Suite("Operations that wait for deliveries, through the control API")
struct SettlingControlTests {
    @Test("Every operation whose answer has notifications takes settle")
    func contract() async throws {
        let test = try await TestShop()
        let routes = test.controlAPI().routes
        func property(_ name: String, of route: ControlRoute) -> Schema? {
            guard case .object(_, let properties)? = route.response?().plain else { return nil }
            return properties.first { $0.name == name }?.schema
        }
        let settling = routes.filter { $0.query.contains { $0.name == "settle" } }
        #expect(settling.count == 27 && settling.allSatisfy { property("settled", of: $0) != nil })
        let causing = routes.filter { route in
            if route.method != .get, case .array? = property("notifications", of: route) { true } else { false }
        }
        #expect(causing.count == 21 && Set(causing.map(\.id)).isSubset(of: settling.map(\.id)), "\(causing.map(\.id))")
    }

    @Test("With settle, the answer of every operation arrives after its deliveries", arguments: TestEngine.allCases)
    func delivered(engine: TestEngine) async throws {
        try await Self.run(on: engine) { control, post in
            let app = control.app
            func settle<Request: SettlingRequest>(_ request: Request, notifies: Bool = true) async throws
                -> Request.Answer
            {
                let before = post.requests.count
                let answer = try await control.send(request.settling(30))
                let settled = try #require(answer.settled)
                #expect(settled.delivered == post.requests.count - before, "\(request): \(settled)")
                #expect(settled.pending == 0 && (settled.delivered > 0) == notifies, "\(request): \(settled)")
                return answer
            }
            func buy(_ product: String, by customer: String = "ann") async throws -> String {
                let bought = try await settle(BuyProduct(app: app, customer: customer, productId: product))
                return try #require(bought.transaction).transactionId
            }
            let id = try await buy("pro")
            _ = try await settle(CancelSubscription(app: app, originalTransactionId: id))
            _ = try await settle(ResumeSubscription(app: app, originalTransactionId: id))
            _ = try await settle(ChangeSubscription(app: app, originalTransactionId: id, productId: "basic"))
            _ = try await settle(ExtendSubscription(app: app, originalTransactionId: id, days: 3))
            let coins = try await buy("coins")
            _ = try await settle(FinishTransaction(app: app, transactionId: coins), notifies: false)
            _ = try await settle(RequestRefund(app: app, transactionId: coins))
            _ = try await settle(DeclineRefund(app: app, transactionId: coins))
            _ = try await settle(RefundTransaction(app: app, transactionId: coins))
            _ = try await settle(ReverseRefund(app: app, transactionId: coins))
            let held = BuyProduct(app: app, customer: "ann", productId: "coins", interrupted: true)
            for number in [1, 2] { #expect(try await settle(held, notifies: false).held == Int64(number)) }
            _ = try await settle(ApprovePurchase(app: app, customer: "ann", number: 1))
            _ = try await settle(DeclinePurchase(app: app, customer: "ann", number: 2), notifies: false)
            let test = try await settle(TriggerNotification(app: app, type: .test))
            let resent = try await settle(ResendNotifications(app: app, notificationUUID: test.notificationUUID))
            #expect(resent.pending == 1)
            _ = try await settle(ExtendAll(app: app, productId: "pro", days: 3))

            _ = try await buy("skin")
            _ = try await settle(CreateFamily(app: app, organizer: "ann", members: ["bob"]))
            _ = try await settle(JoinFamily(app: app, customer: "ann", member: "cem"))
            let left = try await settle(LeaveFamily(app: app, customer: "cem"))
            #expect(left.settled?.delivered == left.notifications.count)

            let shown = try await control.send(GetSubscription(app: app, originalTransactionId: id))
            _ = try await settle(SetClock(app: app, mode: .frozen, at: shown.expiresDate))
            let year = try await settle(AdvanceClock(app: app, by: "1y"))
            let count = year.notifications.reduce(0) { $0 + $1.count }
            #expect(count >= 12 && year.settled?.delivered == count)
            _ = try await settle(UpdateCustomer(app: app, customer: "ann", card: .declinedForRenewals), notifies: false)
            _ = try await settle(AdvanceClock(app: app, by: "32d"))
            _ = try await settle(UpdateCustomer(app: app, customer: "ann", card: .accepted))
            _ = try await settle(EraseCustomer(app: app, customer: "ann"))
        }
    }

    @Test("Without settle, an answer does not wait and has no settled")
    func withoutSettle() async throws {
        try await Self.run { control, _ in
            let bought = try await control.send(BuyProduct(app: control.app, customer: "ann", productId: "coins"))
            #expect(bought.settled == nil)
            let tooLong = BuyProduct(app: control.app, customer: "ann", productId: "coins").settling(61)
            try await control.expectRefusal(400, "bad_query", of: tooLong)
            let negative = BuyProduct(app: control.app, customer: "ann", productId: "coins").settling(-1)
            try await control.expectRefusal(400, "bad_query", of: negative)
        }
    }

    @Test(
        "An answer does not wait for the retry of a failed delivery on a frozen clock",
        arguments: TestEngine.allCases
    )
    func failing(engine: TestEngine) async throws {
        try await Self.run(on: engine, answering: Self.error) { control, post in
            let app = control.app
            let begun = ContinuousClock.now
            let bought = try await control.send(BuyProduct(app: app, customer: "ann", productId: "coins").settling(60))
            #expect(ContinuousClock.now - begun < .seconds(50) && post.requests.count == 1)
            let settled = try #require(bought.settled)
            #expect(settled.delivered == 0 && settled.pending == 1)
            let pending = try #require(settled.pendingDeliveries.first)
            #expect(pending.notification == "ONE_TIME_CHARGE" && pending.endpoint == "primary")
            #expect(pending.sendAttemptResult == .unsuccessfulHTTPResponseCode)
            let retry = try #require(pending.nextAttemptDate)
            #expect(retry.milliseconds - control.test.now.milliseconds == 3_600_000)
            // The advance to the retry waits for the retry, and reports it.
            let report = try await control.send(AdvanceClock(app: app, to: retry).settling(60))
            #expect(post.requests.count == 2 && report.settled?.pending == 1)
            let later = try #require(report.settled?.pendingDeliveries.first?.nextAttemptDate)
            #expect(later > retry)
        }
    }

    @Test("An answer waits at most as long as the request allows")
    func limit() async throws {
        try await Self.run(answering: Self.silence) { control, _ in
            let begun = ContinuousClock.now
            let request = BuyProduct(app: control.app, customer: "ann", productId: "coins")
            let bought = try await control.send(request.settling(1))
            let wait = ContinuousClock.now - begun
            #expect(wait >= .seconds(1) && wait < .seconds(15))
            let pending = try #require(bought.settled?.pendingDeliveries.first)
            #expect(pending.sendAttemptResult == nil && pending.nextAttemptDate == control.test.now)
            let now = try await control.send(request.settling(0))
            #expect(now.settled?.pending == 1)
        }
    }

    @Test("A wait ends when the endpoint is removed, also after the clock was deleted", arguments: TestEngine.allCases)
    func removedEndpoint(engine: TestEngine) async throws {
        try await Self.run(on: engine, settings: Self.patient, answering: Self.silence) { control, post in
            let app = control.app
            _ = try await control.send(CreateClock(app: app, name: "own"))
            _ = try await control.send(CreateCustomer(app: app, customer: "ann", clock: "own"))
            let begun = ContinuousClock.now
            async let bought = control.send(BuyProduct(app: app, customer: "ann", productId: "coins").settling(60))
            _ = try await post.requests(atLeast: 1)
            _ = try await control.send(UpdateCustomer(app: app, customer: "ann", clock: ""))
            _ = try await control.send(DeleteClock(app: app, clock: "own"))
            _ = try await control.send(RemoveEndpoint(app: app, endpoint: "primary"))
            #expect(try await bought.settled?.delivered == 0)
            #expect(ContinuousClock.now - begun < .seconds(30))
        }
    }

    @Test("A wait ends when the customer is erased", arguments: TestEngine.allCases)
    func erasedCustomer(engine: TestEngine) async throws {
        try await Self.run(on: engine, settings: Self.patient, answering: Self.silence) { control, post in
            let app = control.app
            let begun = ContinuousClock.now
            async let bought = control.send(BuyProduct(app: app, customer: "ann", productId: "coins").settling(60))
            _ = try await post.requests(atLeast: 1)
            _ = try await control.send(EraseCustomer(app: app, customer: "ann"))
            #expect(try await bought.settled?.json == SettledInfo(delivered: 0, pending: 0, pendingDeliveries: []).json)
            #expect(ContinuousClock.now - begun < .seconds(30))
        }
    }

    /// Settings with which no attempt ends by its own timeout during a test.
    private static var patient: Settings {
        var settings = Settings()
        settings.deliveryTimeout = 60
        return settings
    }

    @Test("An answer does not wait if no endpoint receives the notification")
    func noEndpoint() async throws {
        try await TypedControl.run { control in
            let begun = ContinuousClock.now
            let bought = try await control.send(
                BuyProduct(app: control.app, customer: "ann", productId: "coins").settling(60)
            )
            #expect(ContinuousClock.now - begun < .seconds(50))
            #expect(bought.notifications == ["ONE_TIME_CHARGE"])
            #expect(try bought.settled.json == SettledInfo(delivered: 0, pending: 0, pendingDeliveries: []).json)
        }
    }

    private static let error: @Sendable (WebhookReceiver.Received) -> WebhookReceiver.Answer = { _ in .status(500) }
    private static let silence: @Sendable (WebhookReceiver.Received) -> WebhookReceiver.Answer = { _ in .hang }

    /// Runs a test with a receiver at the primary endpoint, a delivery worker and a frozen clock.
    static func run(
        on engine: TestEngine = .sqlite,
        settings: Settings = Settings(),
        answering: @escaping @Sendable (WebhookReceiver.Received) -> WebhookReceiver.Answer = { _ in .status(200) },
        _ body: @escaping @Sendable (TypedControl, WebhookReceiver) async throws -> Void
    ) async throws {
        let post = try await WebhookReceiver.start(answering: answering)
        try await TypedControl.run(try await TestShop(on: engine, selling: SampleCatalog.control, settings: settings)) {
            control in
            let deliveryWorker = try control.test.startSending()
            _ = try await control.send(SetEndpoint(app: control.app, endpoint: "primary", url: post.url))
            _ = try await control.send(SetClock(app: control.app, mode: .frozen))
            try await body(control, post)
            await control.test.stopSending(deliveryWorker)
        }
        try await post.stop()
    }
}
