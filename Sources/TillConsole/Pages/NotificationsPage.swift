import HTTPTypes
import TillCore
import TillServer
import TillShop

extension ConsolePage {
    /// What was told about an app's environment, newest first, page by page.
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
                "test": ActForm("requestTestNotification", "Send a TEST").value(page),
                "trigger": NotificationList.trigger.value(page),
                "resend": NotificationList.resend(names).value(page),
            ]
        )
    }
}

/// The parts of the page of notifications.
enum NotificationList {
    static let path = "/console/apps/{bundleId}/{environment}/notifications"

    /// Every type with every subtype that goes with it, as people write them.
    static let everything = NotificationType.allCases.flatMap { type in
        type.subtypes.map { Notice(type, $0).words }
    }

    /// The same for a filter, to which a type alone means it with any subtype.
    private static let choices = NotificationType.allCases.flatMap { type in
        [type.rawValue] + type.subtypes.compactMap(\.self).map { Notice(type, $0).words }
    }

    static func filter(_ page: PageRequest, _ endpoints: [String]) -> FilterForm {
        FilterForm(
            address: page.link(path) ?? "",
            fields: [
                .init("type", "What", .choice(choices)),
                .init("customer", "Customer", .text(hint: "ann")),
                .init("endpoint", "Tried at", .choice(endpoints)),
                .init("from", "From (UTC)", .instant), .init("to", "To (UTC)", .instant),
                .init("failed", "Only what has not arrived", .flag),
            ]
        )
    }

    static func value(_ page: PageRequest, _ filter: FilterForm) async throws(ControlError) -> PageValue {
        let answer: JSONTree
        do {
            answer = try await page.ask("listNotifications", query: try query(page))
        } catch {
            guard [.badRequest, .notFound].contains(error.status), !filter.query(page).isEmpty else { throw error }
            return ["rows": .list([]), "next": .nothing, "trouble": .text(error.message)]
        }
        let next = answer["next"]?.text.flatMap {
            page.link(path, query: filter.query(page) + [(name: "after", value: $0)])
        }
        let rows = (answer["notifications"]?.elements ?? []).map { row($0, page) }
        return ["rows": .list(rows), "next": PageValue(next), "trouble": .nothing]
    }

    private static func query(_ page: PageRequest) throws(ControlError) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = [(name: "limit", value: "50")]
        for name in ["type", "customer", "endpoint", "failed", "after"] {
            if let value = page.value(name) { query.append((name: name, value: value)) }
        }
        for name in ["from", "to"] {
            guard let text = page.value(name) else { continue }
            guard let instant = FormBody.instant(text) else {
                throw .badForm("\(name) is a date and time, such as 2026-03-01T10:00.")
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
            "types": .text(types.isEmpty ? "everything" : types.joined(separator: ", ")),
        ]
    }

    static var trigger: ActForm {
        ActForm(
            "triggerNotification",
            "Send it",
            [
                .init("type", "What", .notice), .init("transactionId", "Transaction"),
                .init("customer", "Customer"),
            ]
        )
    }

    static func resend(_ endpoints: [String]) -> ActForm {
        ActForm(
            "resendNotifications",
            "Send again",
            [
                .init("from", "Made from (UTC)", .instant), .init("to", "To (UTC)", .instant),
                .init("endpoint", "To", .choice([("", "Every endpoint")] + endpoints.map { ($0, $0) })),
            ]
        )
    }
}

/// What notifications have in common on the pages that show them.
enum NotificationWords {
    /// What it is and whom it is about.
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
        case 0: "not tried yet"
        case 1: "after 1 attempt"
        default: "after \(count) attempts"
        }
    }

    /// How a delivery stands.
    static func delivery(_ delivery: JSONTree) -> PageValue {
        let attempts = delivery["attempts"]?.elements ?? []
        let next = delivery["nextAttemptDate"]?.number
        // A fault that drops it, or who listens, says so without an answer of the endpoint.
        let isAnswered = attempts.last?["status"] != nil
        let (words, style) =
            switch (delivery["isDelivered"]?.isTrue == true, next, attempts.isEmpty) {
            case (true, _, _) where !isAnswered: ("counts as arrived", "warn")
            case (true, _, _): ("arrived", "good")
            case (false, _?, true): ("owed", "warn")
            case (false, _?, false): ("failing", "bad")
            case (false, nil, _): ("given up", "bad")
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
