import Testing
import TillControl
import TillJSON
import TillShop
import TillTestSupport

/// Checks lists of notifications, resending, sending by hand, and listening. The notifications go to a webhook receiver
/// on a socket.
@Suite("Notifications, through the control API")
struct NotificationControlTests {
    /// Runs a test with a delivery worker and an endpoint that accepts everything.
    private static func run(
        _ body: @escaping @Sendable (TypedControl, WebhookReceiver) async throws -> Void
    ) async throws {
        var settings = Settings()
        // Even on a busy machine, the receiver answers within this time, so that nothing is sent twice.
        settings.deliveryTimeout = 120
        let test = try await TestShop(selling: SampleCatalog.control, settings: settings)
        let receiver = try await WebhookReceiver.start()
        let deliveryWorker = try test.startSending()
        try await TypedControl.run(test) { try await body($0, receiver) }
        await test.stopSending(deliveryWorker)
        try await receiver.stop()
    }

    private static func setEndpoint(_ receiver: WebhookReceiver, _ control: TypedControl) async throws {
        _ = try await control.send(SetEndpoint(app: control.app, endpoint: "primary", url: receiver.url))
    }

    /// The bodies of the requests to a receiver, after it has received a number of them.
    private static func bodies(_ receiver: WebhookReceiver, atLeast count: Int) async throws -> [String] {
        try await receiver.requests(atLeast: count).map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Waits until a notification is delivered after a number of attempts, and returns it.
    private static func delivered(
        _ id: String,
        attempts count: Int = 1,
        _ control: TypedControl
    ) async throws -> NotificationInfo {
        try await control.waitFor { () async throws -> NotificationInfo? in
            let shown = try await control.send(GetNotification(app: control.app, notificationUUID: id))
            guard let delivery = shown.deliveries.first else { return nil }
            return delivery.isDelivered && delivery.attempts.count == count ? shown : nil
        }
    }

    @Test("A notification is shown with its payloads and delivery attempts, and resent with the same bytes")
    func resent() async throws {
        try await Self.run { control, receiver in
            let app = control.app
            try await Self.setEndpoint(receiver, control)
            let bought = try await control.buy("pro", by: "ann")
            try await control.buy("coins", by: "bob")
            let sent = try await Self.bodies(receiver, atLeast: 2)
            #expect(sent.count == 2)
            let listed = try await control.send(ListNotifications(app: app, customer: "ann")).notifications
            #expect(listed.map(\.notificationType) == ["SUBSCRIBED"] && listed.map(\.subtype) == ["INITIAL_BUY"])
            let id = try #require(listed.first).notificationUUID
            let shown = try await Self.delivered(id, control)
            let attempt = try #require(shown.deliveries.first?.attempts.first)
            #expect(attempt.sendAttemptResult == .success && attempt.status == 200)
            let signed = try #require(shown.signedPayload)
            #expect(sent.joined().contains(signed), "the bytes differ")
            #expect(try control.payload(of: signed)["notificationUUID"]?.text == id)
            #expect(shown.payload?.tree["notificationUUID"]?.text == id)
            #expect(shown.transactionId == bought.transactionId)
            #expect(shown.transactionInfo?.tree["transactionId"]?.text == bought.transactionId)
            #expect(shown.renewalInfo?.tree["originalTransactionId"]?.text == bought.transactionId)

            let resend = ResendNotifications(app: app, notificationUUID: id)
            #expect(try await control.send(resend).pending == 1)
            let resent = try await Self.bodies(receiver, atLeast: 3)
            let last = try #require(resent.last)
            #expect(resent.count == 3 && sent.contains(last))
            // While a delivery is in progress, a resend would be the same attempt.
            for entry in try await control.send(ListNotifications(app: app)).notifications {
                _ = try await Self.delivered(
                    entry.notificationUUID,
                    attempts: entry.customer == "ann" ? 2 : 1,
                    control
                )
            }
            let all = ResendNotifications(app: app, from: control.inDays(-1), to: control.inDays(1))
            #expect(try await control.send(all).pending == 2)
            #expect(try await Self.bodies(receiver, atLeast: 5).count == 5)
            let missing = ResendNotifications(app: app, notificationUUID: id, endpoint: "no")
            try await control.expectRefusal(404, "unknown_endpoint", of: missing)
            var wrong = [ResendNotifications(app: app), all, all, all]
            wrong[1].notificationUUID = id
            wrong[2].from = nil
            wrong[3].to = nil
            for request in wrong { try await control.expectRefusal(400, "bad_range", of: request) }
        }
    }

    @Test("Notifications are listed in pages and by filters")
    func listed() async throws {
        try await Self.run { control, receiver in
            let app = control.app
            try await Self.setEndpoint(receiver, control)
            try await control.buy("pro", by: "ann")
            try await control.buy("coins", by: "bob")
            for entry in try await control.send(ListNotifications(app: app)).notifications {
                _ = try await Self.delivered(entry.notificationUUID, control)
            }
            let page = try await control.send(ListNotifications(app: app, limit: 1))
            let next = try #require(page.next)
            let rest = try await control.send(ListNotifications(app: app, after: next, limit: 1))
            #expect(rest.next == nil && page.notifications.count == 1 && rest.notifications.count == 1)
            #expect(try page.notifications.json != rest.notifications.json)
            let none = try NotificationList(notifications: []).json
            let resubscribed = ListNotifications(app: app, type: "SUBSCRIBED/RESUBSCRIBE")
            #expect(try await control.send(resubscribed).json == none)
            #expect(try await control.send(ListNotifications(app: app, failed: true)).json == none)
            for limit in [0, 101] {
                try await control.expectRefusal(400, "bad_query", of: ListNotifications(app: app, limit: limit))
            }
            try await control.expectRefusal(400, "bad_page", of: ListNotifications(app: app, after: "x"))
            try await control.expectRefusal(404, "unknown_account", of: ListNotifications(app: app, customer: "no"))
            let unknown = GetNotification(app: app, notificationUUID: "x")
            try await control.expectRefusal(404, "unknown_notification", of: unknown)
        }
    }

    @Test("Any notification can be sent by hand, if there is an endpoint")
    func triggered() async throws {
        try await Self.run { control, receiver in
            let app = control.app
            let bought = try await control.buy("basic", by: "ann")
            try await control.expectRefusal(409, "no_endpoint", of: TriggerNotification(app: app, type: .test))
            let listed = try await control.send(ListNotifications(app: app)).notifications
            let id = try #require(listed.first).notificationUUID
            let resend = ResendNotifications(app: app, notificationUUID: id)
            try await control.expectRefusal(409, "no_endpoint", of: resend)
            try await Self.setEndpoint(receiver, control)
            var request = TriggerNotification(
                app: app,
                type: .expired,
                subtype: .voluntary,
                transactionId: bought.transactionId
            )
            let sent = try await control.send(request)
            #expect(sent.isTriggered && sent.customer == "ann")
            #expect(try await Self.bodies(receiver, atLeast: 1).count == 1)
            #expect(sent.testNotificationToken == nil)
            let test = try await control.send(TriggerNotification(app: app, type: .test))
            #expect(test.testNotificationToken == test.notificationUUID && test.isTriggered)
            #expect(test.deliveries.map(\.endpoint) == ["primary"] && test.customer == nil)
            #expect(try await Self.bodies(receiver, atLeast: 2).count == 2)
            request.subtype = .upgrade
            try await control.expectRefusal(409, "not_triggered", of: request)
            request.subtype = .voluntary
            request.transactionId = "1"
            try await control.expectRefusal(404, "unknown_transaction", of: request)
        }
    }

    @Test("A listener replaces a missing endpoint")
    func listener() async throws {
        try await Self.run { control, _ in
            let app = control.app
            let none = try DeliveryOfferInfo().json
            #expect(try await control.send(Listen(app: app, wait: 0)).json == none)
            try await control.buy("coins", by: "ann")
            let offer = try await control.waitFor { () async throws -> DeliveryOfferInfo? in
                let offer = try await control.send(Listen(app: app, wait: 10))
                return offer.deliveryToken == nil ? nil : offer
            }
            #expect(offer.notificationType == "ONE_TIME_CHARGE")
            let body = try JSONTree.parse(Array(try #require(offer.body).utf8))
            let id = try #require(offer.notificationUUID)
            #expect(try control.payload(of: body["signedPayload"]?.text)["notificationUUID"]?.text == id)
            let token = try #require(offer.deliveryToken)
            let answer = AnswerDelivery(app: app, deliveryToken: token, status: 200)
            // Only the app and environment of the delivery may answer it.
            _ = try await control.send(CreateApp(bundleId: "com.example.second"))
            for other in [AppEnvironment("com.example.second"), AppEnvironment(app.bundleId, .production)] {
                let foreign = AnswerDelivery(app: other, deliveryToken: token, status: 500)
                try await control.expectRefusal(404, "unknown_delivery", of: foreign)
            }
            _ = try await control.send(answer)
            let shown = try await Self.delivered(id, control)
            #expect(shown.deliveries.first?.attempts.first?.status == 200)
            try await control.expectRefusal(404, "unknown_delivery", of: answer)
            try await control.expectRefusal(400, "bad_query", of: Listen(app: app, wait: 51))
        }
    }
}
