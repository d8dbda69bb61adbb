import HTTPTypes
import TillControl
import TillCore
import TillServer
import TillShop

extension ConsolePage {
    /// The notifications of an app's environment, newest first.
    static let notifications = ConsolePage(
        path: NotificationTable.path,
        template: Template("notifications", PackageResources.notifications_mustache)
    ) { page in
        let app = try page.app
        let endpoints = try await page.send(ListEndpoints(app: app))
        let names = endpoints.map(\.name)
        let filter = NotificationTable.filter(page, names)
        return PageContent(
            "Notifications",
            [
                "filter": filter.value(page),
                "list": try await NotificationTable.value(page, filter),
                "hasClocks": .flag(try await !page.send(ListClocks(app: app)).isEmpty),
                "endpoints": .list(endpoints.prefix(20).map { NotificationTable.endpoint($0) }),
                "settings": PageValue(page.link("/console/apps/{bundleId}/{environment}/")),
                "test": NotificationTable.test(app).value(page),
                "trigger": NotificationTable.trigger(app).value(page),
                "resend": NotificationTable.resend(app, names).value(page),
            ]
        )
    }
}

/// The parts of the notifications page.
enum NotificationTable {
    static let path = "/console/apps/{bundleId}/{environment}/notifications"

    /// All notification types with their subtypes: `EXPIRED/VOLUNTARY`.
    static let everything = NotificationType.allCases.flatMap { type in
        type.subtypes.map { Notice(type, $0).words }
    }

    /// The filter options; a type without a subtype matches every subtype.
    private static let choices = NotificationType.allCases.flatMap { type in
        [type.rawValue] + type.subtypes.compactMap(\.self).map { Notice(type, $0).words }
    }

    static func filter(_ page: PageRequest, _ endpoints: [String]) -> FilterForm {
        FilterForm(
            address: page.link(path) ?? "",
            fields: [
                .init("type", "Type", .choice(choices)),
                .init("customer", "Customer", .text(hint: "ann")),
                .init("endpoint", "Endpoint", .choice(endpoints)),
                .init("from", "Created from (UTC)", .instant), .init("to", "Created until (UTC)", .instant),
                .init("failed", "Only with a delivery that failed or will be retried", .flag),
            ]
        )
    }

    static func value(_ page: PageRequest, _ filter: FilterForm) async throws(ControlError) -> PageValue {
        let list: NotificationList
        do {
            list = try await page.send(try request(page))
        } catch {
            guard [.badRequest, .notFound].contains(error.status), !filter.query(page).isEmpty else { throw error }
            return ["rows": .list([]), "next": .nothing, "error": .text(error.message)]
        }
        let next = list.next.flatMap {
            page.link(path, query: filter.query(page) + [(name: "after", value: $0)])
        }
        let app = try page.app
        let rows = list.notifications.map { row($0, app, page) }
        return ["rows": .list(rows), "next": PageValue(next), "error": .nothing]
    }

    private static func request(_ page: PageRequest) throws(ControlError) -> ListNotifications {
        ListNotifications(
            app: try page.app,
            type: page.value("type"),
            customer: page.value("customer"),
            failed: page.value("failed") == "true" ? true : nil,
            endpoint: page.value("endpoint"),
            from: try page.instant("from"),
            to: try page.instant("to"),
            after: page.value("after"),
            limit: 50
        )
    }

    private static func row(_ notification: NotificationInfo, _ app: AppEnvironment, _ page: PageRequest) -> PageValue {
        NotificationWords.about(notification, page).with([
            "link": PageValue(page.link(toNotification: notification.notificationUUID, of: app)),
            "deliveries": .list(notification.deliveries.map(NotificationWords.delivery)),
        ])
    }

    static func endpoint(_ endpoint: EndpointInfo) -> PageValue {
        let types = endpoint.types
        return [
            "name": .text(endpoint.name), "url": .text(endpoint.url),
            "types": .text(types.isEmpty ? "all notifications" : types.joined(separator: ", ")),
        ]
    }

    static func test(_ app: AppEnvironment) -> ActionForm {
        ActionForm(TriggerNotification(app: app, type: .test), "Send test notification", name: "test")
    }

    static func trigger(_ app: AppEnvironment) -> ActionForm {
        ActionForm(
            TriggerNotification(app: app, type: .test),
            "Send notification",
            [
                .init("type", "Type", .notice), .init("transactionId", "Transaction ID"),
                .init("customer", "Customer"),
            ]
        )
    }

    static func resend(_ app: AppEnvironment, _ endpoints: [String]) -> ActionForm {
        ActionForm(
            ResendNotifications(app: app),
            "Resend",
            [
                .init("from", "Created from (UTC)", .instant), .init("to", "Created until (UTC)", .instant),
                .init("endpoint", "Endpoint", .choice([("", "All endpoints")] + endpoints.map { ($0, $0) })),
            ]
        )
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
            "words": .text(words(notification)), "type": .text(notification.notificationType),
            "subtype": PageValue(notification.subtype), "signed": Words.time(notification.signedDate),
            "customer": PageValue(notification.customer),
            "customerLink": PageValue(notification.customer.flatMap { page.link(toCustomer: $0) }),
            "transaction": PageValue(notification.transactionId),
            "transactionLink": PageValue(notification.transactionId.flatMap { page.link(toTransaction: $0) }),
            "original": PageValue(notification.originalTransactionId),
            "isTriggered": .flag(notification.isTriggered), "isVersionOne": .flag(notification.version == 1),
        ]
    }

    private static func tries(_ count: Int) -> String {
        switch count {
        case 0: "no attempts yet"
        case 1: "after 1 attempt"
        default: "after \(count) attempts"
        }
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
            "endpoint": .text(delivery.endpoint), "words": .text(words), "style": .text(style),
            "next": Words.time(next), "count": PageValue(attempts.count), "tries": .text(tries(attempts.count)),
            "result": PageValue(failure.map { Words.plain($0.sendAttemptResult.rawValue) }),
            "status": PageValue(failure?.status.map { String($0) }),
            "attempts": .list(attempts.enumerated().map { attempt($0.element, number: $0.offset + 1) }),
        ]
    }

    private static func attempt(_ attempt: DeliveryAttemptInfo, number: Int) -> PageValue {
        [
            "number": PageValue(number), "date": Words.time(attempt.attemptDate),
            "result": .text(Words.sentence(attempt.sendAttemptResult.rawValue)),
            "isSuccess": .flag(attempt.sendAttemptResult == .success),
            "status": PageValue(attempt.status.map { String($0) }),
            "milliseconds": PageValue(attempt.milliseconds), "reason": PageValue(attempt.reason),
        ]
    }
}
