import HTTPTypes
import TillCore
import TillJSON
import TillServer
import TillShop

extension ConsolePage {
    /// The notifications of an app's environment, newest first.
    static let notifications = ConsolePage(
        path: "/console/apps/{bundleId}/{environment}/notifications",
        template: Template("notifications", PackageResources.notifications_mustache)
    ) { page in
        let endpoints = try await page.ask("listEndpoints")["endpoints"]?.elements ?? []
        let names = endpoints.compactMap { $0["name"]?.text }
        let filter = NotificationList.filter(page, names)
        return PageContent(
            "Notifications",
            [
                "filter": filter.value(page),
                "list": try await NotificationList.value(page, filter),
                "hasClocks": .flag(try await page.ask("listClocks")["clocks"]?.elements.isEmpty == false),
                "endpoints": .list(endpoints.prefix(20).map { NotificationList.endpoint($0) }),
                "settings": PageValue(page.link("/console/apps/{bundleId}/{environment}/")),
                "test": ActionForm("requestTestNotification", "Send test notification").value(page),
                "trigger": NotificationList.trigger.value(page),
                "resend": NotificationList.resend(names).value(page),
            ]
        )
    }
}

/// The parts of the notifications page.
enum NotificationList {
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
        let answer: JSONTree
        do {
            answer = try await page.ask("listNotifications", query: try query(page))
        } catch {
            guard [.badRequest, .notFound].contains(error.status), !filter.query(page).isEmpty else { throw error }
            return ["rows": .list([]), "next": .nothing, "error": .text(error.message)]
        }
        let next = answer["next"]?.text.flatMap {
            page.link(path, query: filter.query(page) + [(name: "after", value: $0)])
        }
        let rows = (answer["notifications"]?.elements ?? []).map { row($0, page) }
        return ["rows": .list(rows), "next": PageValue(next), "error": .nothing]
    }

    private static func query(_ page: PageRequest) throws(ControlError) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = [(name: "limit", value: "50")]
        for name in ["type", "customer", "endpoint", "failed", "after"] {
            if let value = page.value(name) { query.append((name: name, value: value)) }
        }
        for name in ["from", "to"] {
            guard let text = page.value(name) else { continue }
            guard let instant = FormBody.instant(text) else {
                throw .badForm("\(name) must be a date and time such as 2026-03-01T10:00.")
            }
            query.append((name: name, value: String(instant)))
        }
        return query
    }

    private static func row(_ entry: JSONTree, _ page: PageRequest) -> PageValue {
        let uuid = entry["notificationUUID"]?.text ?? ""
        return NotificationWords.about(entry, page).with([
            "link": PageValue(page.link(path + "/{notificationUUID}", ["notificationUUID": uuid])),
            "deliveries": .list((entry["deliveries"]?.elements ?? []).map(NotificationWords.delivery)),
        ])
    }

    static func endpoint(_ endpoint: JSONTree) -> PageValue {
        let types = (endpoint["types"]?.elements ?? []).compactMap(\.text)
        return [
            "name": PageValue(endpoint["name"]?.text), "url": PageValue(endpoint["url"]?.text),
            "types": .text(types.isEmpty ? "all notifications" : types.joined(separator: ", ")),
        ]
    }

    static var trigger: ActionForm {
        ActionForm(
            "triggerNotification",
            "Send notification",
            [
                .init("type", "Type", .notice), .init("transactionId", "Transaction ID"),
                .init("customer", "Customer"),
            ]
        )
    }

    static func resend(_ endpoints: [String]) -> ActionForm {
        ActionForm(
            "resendNotifications",
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
    /// The type, customer and transaction of a notification.
    static func about(_ entry: JSONTree, _ page: PageRequest) -> PageValue {
        let words = [entry["notificationType"]?.text, entry["subtype"]?.text].compactMap(\.self)
        let customer = entry["customer"]?.text
        let address = customer.flatMap {
            page.link("/console/apps/{bundleId}/{environment}/customers/{customer}", ["customer": $0])
        }
        let transaction = entry["transactionId"]?.text
        let link = transaction.flatMap { page.link(RowsCard.path, ["transactionId": $0]) }
        return [
            "words": .text(words.joined(separator: "/")), "type": PageValue(words.first),
            "subtype": PageValue(words.count > 1 ? words[1] : nil),
            "signed": Words.time(entry["signedDate"]?.number), "customer": PageValue(customer),
            "customerLink": PageValue(address), "transaction": PageValue(transaction),
            "transactionLink": PageValue(link), "original": PageValue(entry["originalTransactionId"]?.text),
            "isTriggered": PageValue(entry["isTriggered"]), "isVersionOne": .flag(entry["version"]?.number == 1),
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
    static func delivery(_ delivery: JSONTree) -> PageValue {
        let attempts = delivery["attempts"]?.elements ?? []
        let next = delivery["nextAttemptDate"]?.number
        // A `drop` fault and `till listen` count a notification as delivered without a response from the endpoint.
        let isAnswered = attempts.last?["status"] != nil
        let (words, style) =
            switch (delivery["isDelivered"]?.isTrue == true, next, attempts.isEmpty) {
            case (true, _, _) where !isAnswered: ("counted as delivered", "warn")
            case (true, _, _): ("delivered", "good")
            case (false, _?, true): ("pending", "warn")
            case (false, _?, false): ("retrying", "bad")
            case (false, nil, _): ("failed", "bad")
            }
        let last = attempts.last
        let isSuccess = last?["sendAttemptResult"]?.text == SendAttemptResult.success.rawValue
        return [
            "endpoint": PageValue(delivery["endpoint"]?.text), "words": .text(words), "style": .text(style),
            "next": Words.time(next), "count": PageValue(attempts.count), "tries": .text(Self.tries(attempts.count)),
            "result": PageValue(isSuccess ? nil : last?["sendAttemptResult"]?.text.map(Words.plain)),
            "status": PageValue(isSuccess ? nil : last?["status"]?.text),
            "attempts": .list(
                attempts.enumerated().map { number, attempt in
                    [
                        "number": PageValue(number + 1), "date": Words.time(attempt["attemptDate"]?.number),
                        "result": PageValue(attempt["sendAttemptResult"]?.text.map(Words.sentence)),
                        "isSuccess": .flag(
                            attempt["sendAttemptResult"]?.text == SendAttemptResult.success.rawValue
                        ),
                        "status": PageValue(attempt["status"]?.text),
                        "milliseconds": PageValue(attempt["milliseconds"]?.text),
                        "reason": PageValue(attempt["reason"]?.text),
                    ]
                }
            ),
        ]
    }
}
