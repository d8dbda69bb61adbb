import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Testing
import TillControl

@testable import TillTesting

@Suite("The endpoint of an app collects genuine notifications")
struct EndpointTests {
    @Test("A missing notification fails with what arrived instead")
    func missing() async throws {
        try await TestedServer.withApp {
            try await Till.app.customer("ann").buy("pro.month")
            let error = await #expect(throws: TillTestingError.self) {
                try await Till.endpoint.expect(.subscribed, .resubscribe, timeout: .milliseconds(10))
            }
            #expect(
                error?.description.hasSuffix("Arrived and not yet expected: SUBSCRIBED/INITIAL_BUY.") == true,
                "\(String(describing: error))"
            )
            #expect(throws: TillTestingError("Arrived and not expected: SUBSCRIBED/INITIAL_BUY.")) {
                try Till.endpoint.expectNothingElse()
            }
            try await Till.endpoint.expect(.subscribed)
            try Till.endpoint.expectNothingElse()
            #expect(try Till.endpoint.received.map(\.description) == ["SUBSCRIBED/INITIAL_BUY"])
        }
    }

    @Test("Each call of expect returns another notification")
    func once() async throws {
        try await TestedServer.withApp {
            try await Till.app.customer("ann").buy("pro.month")
            try await Till.clock.advance("P7D")
            try await Till.clock.advance("1mo")
            let first = try await Till.endpoint.expect(.didRenew)
            let second = try await Till.endpoint.expect(.didRenew)
            #expect(first.notificationUUID != second.notificationUUID)
            #expect(first.transaction?.expiresDate == second.transaction?.purchaseDate)
            #expect(first.renewal?.isAutoRenewing == true && first.status == .active)
            await #expect(throws: TillTestingError.self) {
                try await Till.endpoint.expect(.didRenew, timeout: .milliseconds(10))
            }
        }
    }

    @Test("A refused notification arrives with a later attempt")
    func refused() async throws {
        try await TestedServer.withApp {
            let endpoint = try Till.endpoint
            endpoint.fail(503, times: 1)
            try await Till.app.customer("ann").buy("pro.month")
            #expect(endpoint.received.isEmpty)
            let deliveries = try await Till.app.control.send(ListNotifications(app: Till.app.scope))
            let attempt = deliveries.notifications.first?.deliveries.first?.attempts.first
            #expect(attempt?.status == 503)
            // The second attempt is an hour after the first.
            try await Till.clock.advance("2h")
            let bought = try await endpoint.expect(.subscribed, .initialBuy)
            #expect(endpoint.attempts(bought) == 2)
        }
    }

    @Test("Every notification of the attack pack is refused, and the valid one is accepted")
    func forged() async throws {
        try await TestedServer.withApp {
            let (app, endpoint) = (try Till.app, try Till.endpoint)
            var accepted = 0
            for attack in try await app.control.send(ListAttacks(app: app.scope)) {
                guard let payload = attack.signedPayload else { continue }
                let status = try await post("{\"signedPayload\": \"\(payload)\"}", to: endpoint.url)
                #expect(status == (attack.mustBeRefused ? 400 : 200), "\(attack.case): \(attack.wrong)")
                accepted += status == 200 ? 1 : 0
            }
            #expect(accepted > 0 && endpoint.received.count == accepted && endpoint.refusals.count > 5)
            #expect(try await post("{}", to: endpoint.url) == 400)
            #expect(endpoint.refusals.last == "The body has no signedPayload: {}")
        }
    }

    @Test("A notification that is delivered twice counts once")
    func repeated() async throws {
        try await TestedServer.withApp {
            try await Till.app.customer("ann").buy("pro.month")
            let bought = try await Till.endpoint.expect(.subscribed)
            let resend = ResendNotifications(app: try Till.app.scope, notificationUUID: bought.notificationUUID)
            let answer = try await Till.app.control.send(resend.settling(60))
            #expect(answer.settled?.delivered == 1)
            try Till.endpoint.expectNothingElse()
            // A repeated delivery uses up no failure.
            try Till.endpoint.fail()
            #expect(try await Till.app.control.send(resend.settling(60)).settled?.delivered == 1)
            #expect(try Till.endpoint.attempts(bought) == 3)
            try await Till.app.customer("ann").buy("coins.10")
            #expect(try Till.endpoint.received.count == 1)
        }
    }

    @Test("A backend becomes the primary endpoint, and the receiver keeps its notifications")
    func backend() async throws {
        try await TestedServer.withApp {
            let app = try Till.app
            // Nothing listens on this port.
            try await app.sendNotifications(to: "http://127.0.0.1:9/apple")
            try await app.customer("ann").buy("coins.10")
            try await Till.endpoint.expect(.oneTimeCharge)
            let list = try await app.control.send(ListNotifications(app: app.scope)).notifications
            let delivered = Dictionary(uniqueKeysWithValues: list[0].deliveries.map { ($0.endpoint, $0.isDelivered) })
            #expect(delivered == ["primary": false, "test": true])
        }
    }

    @Test("A failed expectation names the fault that dropped the notification")
    func dropped() async throws {
        try await TestedServer.withApp {
            try await Till.app.addFault(.drop, route: "ONE_TIME_CHARGE", limit: 1)
            try await Till.app.customer("ann").buy("coins.10")
            let failure = await #expect(throws: TillTestingError.self) {
                try await Till.endpoint.expect(.oneTimeCharge, timeout: .zero)
            }
            #expect(failure.map { "\($0)" }?.contains("A fault rule hit ONE_TIME_CHARGE: Fault f") == true)
        }
    }

    @Test("A part is refunded in percent, and the clock begins with a whole second")
    func percentage() async throws {
        struct Part: Decodable {
            let revocationPercentage: Int
        }
        try await TestedServer.withApp {
            #expect(try await Till.clock.now.milliseconds % 1_000 == 0)
            let ann = try Till.app.customer("ann")
            let purchase = try await ann.buy("coins.10")
            try await ann.refund(purchase, percentage: 12.5)
            let refund = try await Till.endpoint.expect(.refund)
            #expect(try refund.transaction?.payload.decode(Part.self).revocationPercentage == 12_500)
            await #expect(throws: TillTestingError.self) { try await ann.refund(purchase, percentage: 100) }
        }
    }

    @Test("A notification of another app is refused")
    func otherApp() async throws {
        try await TestedServer.withApp {
            let url = try Till.endpoint.url
            try await TestedServer.withApp {
                try await Till.app.sendNotifications(to: url)
                try await Till.app.customer("ann").buy("pro.month")
                try await Till.endpoint.expect(.subscribed)
            }
            #expect(try Till.endpoint.received.isEmpty)
            #expect(try Till.endpoint.refusals.first?.contains("bundle id") == true)
        }
    }

    private func post(_ body: String, to url: String) async throws -> UInt {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.body = .bytes(ByteBuffer(string: body))
        return try await HTTPClient.shared.execute(request, timeout: .seconds(60)).status.code
    }
}
