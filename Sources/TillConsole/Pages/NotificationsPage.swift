import HTTPTypes
import TillControl
import TillCore
import TillServer
import TillShop

extension ConsolePage {
    /// The notifications of an app's environment, newest first.
    static let notifications = ConsolePage(
        "\(scope)/notifications",
        "notifications",
        menu: "Notifications",
        documentation: [.notifications]
    ) { page in
        let app = try page.app
        let endpoints = try await page.send(ListEndpoints(app: app))
        let names = endpoints.map { (value: $0.name, name: $0.name) }
        return try await NotificationTable.list(page, app, names).with([
            "hasClocks": try await !page.send(ListClocks(app: app)).isEmpty,
            "endpoints": endpoints.prefix(20).listed { endpoint in
                let types = endpoint.types.isEmpty ? "all notifications" : endpoint.types.joined(separator: ", ")
                return ["name": endpoint.name, "url": endpoint.url, "types": types]
            },
            "settings": page.link(.environment),
            "setEndpoint": endpoints.isEmpty ? EnvironmentSettingsForm.setEndpoint(page, app) : nil,
            "test": NotificationTable.test(app, page),
            "trigger": page.form(
                TriggerNotification(app: app, type: .test),
                "Send notification",
                [
                    .init("type", "Type", .notice), .init("transactionId", "Transaction ID"),
                    .init("customer", "Customer"),
                ]
            ),
            "resend": page.form(
                ResendNotifications(app: app),
                "Resend",
                [
                    .init("from", "Created from (UTC)", .instant), .init("to", "Created until (UTC)", .instant),
                    .init("endpoint", "Endpoint", .choice([("", "All endpoints")] + names)),
                ]
            ),
        ])
    }

    /// One notification: its decoded payload with signatures, and every delivery attempt.
    static let notification = ConsolePage(
        "\(scope)/notifications/{notificationUUID}",
        "notification",
        documentation: [.notifications, .payloads]
    ) { page in
        let app = try page.app
        let uuid = page.parameters["notificationUUID"] ?? ""
        let notification = try await page.send(GetNotification(app: app, notificationUUID: uuid))
        let endpoints = try await page.send(ListEndpoints(app: app)).map(\.name)
        let signed = notification.signedPayload
        let decoded = if let signed { await TextDecoding.parts(of: signed, page.shop).parts } else { [DecodedPart]() }
        return [
            "title": [notification.notificationType, notification.subtype].compactMap(\.self).joined(separator: " / "),
            "about": NotificationWords.about(notification, page), "list": page.link(.notifications),
            "parts": DecodedWords.parts(decoded),
            "deliveries": notification.deliveries.map(NotificationWords.delivery),
            "plain": signed == nil ? DecodedWords.document(notification.payload?.tree) : nil,
            "resends": resends(app, uuid, endpoints, page), "canResend": !endpoints.isEmpty,
            "endpointLink": page.link(.environment) + EnvironmentSettingsForm.endpoints,
        ]
    }

    private static func resends(_ app: AppEnvironment, _ uuid: String, _ endpoints: [String], _ page: PageRequest)
        -> [PageValue]
    {
        guard !endpoints.isEmpty else { return [] }
        let resend = ResendNotifications(app: app, notificationUUID: uuid)
        let toAll = page.form(resend, "Resend to all endpoints", name: "all")
        guard endpoints.count > 1 else { return [toAll] }
        return [toAll]
            + endpoints.prefix(10).map { name in
                let toOne = ResendNotifications(app: app, notificationUUID: uuid, endpoint: name)
                return page.form(toOne, "Resend to \(name)", name: name)
            }
    }
}

/// The parts of the notifications page.
enum NotificationTable {
    /// All notification types with their subtypes: `EXPIRED/VOLUNTARY`.
    static let everything = NotificationType.allCases.flatMap { type in
        type.subtypes.map { Notice(type, $0).words }
    }

    static func list(_ page: PageRequest, _ app: AppEnvironment, _ endpoints: [FormField.Option]) async throws
        -> PageValue
    {
        let fields: [FormField] = [
            .init("type", "Type", .choice(Notice.filters.map { ($0, $0) })), .init("customer", "Customer"),
            .init("endpoint", "Endpoint", .choice(endpoints)), .init("from", "Created from (UTC)", .instant),
            .init("to", "Created until (UTC)", .instant),
            .init("failed", "Only with a delivery that failed or will be retried"),
        ]
        return try await page.list(
            of: ListNotifications.self,
            fields,
            isShown: { error, isFiltered in isFiltered && [.badRequest, .notFound].contains(error.status) },
            load: {
                let list = try await page.send(
                    ListNotifications(
                        app: app,
                        type: page.value("type"),
                        customer: page.value("customer"),
                        failed: page.flag("failed"),
                        endpoint: page.value("endpoint"),
                        from: try page.instant("from"),
                        to: try page.instant("to"),
                        after: page.value("after"),
                        limit: ListLimit.elements
                    )
                )
                let rows = list.notifications.map { notification in
                    NotificationWords.about(notification, page).with([
                        "link": page.link(toNotification: notification.notificationUUID),
                        "deliveries": notification.deliveries.map(NotificationWords.delivery),
                    ])
                }
                return (rows, list.next)
            }
        )
    }

    static func test(_ app: AppEnvironment, _ page: PageRequest) -> PageValue {
        page.form(TriggerNotification(app: app, type: .test), "Send test notification", name: "test")
    }
}

/// Values for the pages that show notifications.
enum NotificationWords {
    /// The type, with its subtype after a slash.
    static func words(_ notification: NotificationInfo) -> String {
        [notification.notificationType, notification.subtype].compactMap(\.self).joined(separator: "/")
    }

    /// The type, customer and transaction of a notification.
    static func about(_ notification: NotificationInfo, _ page: PageRequest) -> PageValue {
        [
            "uuid": notification.notificationUUID, "type": notification.notificationType,
            "subtype": notification.subtype, "signed": notification.signedDate, "customer": notification.customer,
            "customerLink": notification.customer.map { page.link(toCustomer: $0) },
            "transaction": notification.transactionId,
            "transactionLink": notification.transactionId.map(page.link(toTransaction:)),
            "original": notification.originalTransactionId, "isTriggered": notification.isTriggered,
            "isVersionOne": notification.version == 1,
        ]
    }

    /// The status and attempts of a delivery.
    static func delivery(_ delivery: DeliveryInfo) -> PageValue {
        let attempts = delivery.attempts
        let next = delivery.nextAttemptDate
        let last = attempts.last
        // A `drop` fault and `till listen` count a notification as delivered without a response from the endpoint.
        let isAnswered = last?.status != nil
        let (words, style) =
            switch (delivery.isDelivered, next, attempts.isEmpty) {
            case (true, _, _) where !isAnswered: ("counted as delivered", "warn")
            case (true, _, _): ("delivered", "good")
            case (false, _?, true): ("pending", "warn")
            case (false, _?, false): ("retrying", "bad")
            case (false, nil, _): ("failed", "bad")
            }
        let failure = last.flatMap { $0.sendAttemptResult == .success ? nil : $0 }
        return [
            "endpoint": delivery.endpoint, "words": words, "style": style, "next": next,
            "tries": attempts.isEmpty ? "no attempts yet" : "after \(Words.count(attempts.count, "attempt"))",
            "result": failure.map { failure in
                Words.plain(failure.sendAttemptResult.rawValue) + (failure.reason.map { ": \($0)" } ?? "")
            }, "status": failure?.status,
            "attempts": attempts.enumerated().listed { index, attempt in
                [
                    "number": index + 1, "date": Words.time(attempt.attemptDate, isPrecise: true),
                    "result": Words.sentence(attempt.sendAttemptResult.rawValue),
                    "isSuccess": attempt.sendAttemptResult == .success, "status": attempt.status,
                    "milliseconds": attempt.milliseconds, "reason": attempt.reason,
                ]
            },
        ]
    }
}
