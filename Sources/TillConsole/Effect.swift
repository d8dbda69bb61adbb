import TillJSON
import TillServer
import TillShop

/// The result of an action, shown above the page by `{{>effect}}`.
struct Effect: Sendable {
    /// The name of the action.
    let title: String
    /// The response or the error; nil while the action is in progress.
    var outcome: Result<JSONTree?, ControlError>?
    /// The path parameters of the control operation.
    let parameters: [String: String]

    /// Keys with secret values. The page shows such a value once, after the action that created it.
    private static let secrets: Set = ["privateKey", "token", "sharedSecret", "secret", "password"]

    /// The value for `{{>effect}}`.
    func value(_ page: PageRequest) -> PageValue {
        switch outcome {
        case nil:
            ["title": .text(title), "isUnderWay": true, "isRefused": false, "isDone": false]
        case .failure(let error)?:
            [
                "title": .text(title), "isUnderWay": false, "isRefused": true, "isDone": false,
                "message": .text(error.message), "code": .text(error.code),
                // Omits errors whose text is the same as the message.
                "faults": .list(
                    error.faults.filter { $0.expected != error.message }.prefix(20).map {
                        ["path": .text($0.path), "expected": .text($0.expected), "found": .text($0.found)]
                    }
                ),
            ]
        case .success(let answer)?: value(of: answer, page)
        }
    }

    private func value(of answer: JSONTree?, _ page: PageRequest) -> PageValue {
        let shown = answer.map { Self.withoutSecrets($0) }
        let json = shown.map { String(decoding: $0.written(), as: UTF8.self) }
        return [
            "title": .text(title), "isUnderWay": false, "isRefused": false, "isDone": true,
            "events": .list((answer?["events"]?.elements ?? []).compactMap(\.text).map { .text(Words.sentence($0)) }),
            "notifications": .list(notifications(answer, page)),
            "rows": .list(rows(answer, page)),
            "advance": advance(answer),
            "facts": .list(facts(answer)), "links": .list(links(answer, page)),
            "secrets": .list(secrets(answer)),
            "json": PageValue(json),
        ]
    }

    /// Notification types, each with a link to the customer's notifications of the type.
    private func notifications(_ answer: JSONTree?, _ page: PageRequest) -> [PageValue] {
        if let uuid = answer?["notificationUUID"]?.text {
            let words = [answer?["notificationType"]?.text, answer?["subtype"]?.text].compactMap(\.self)
            let more = parameters.merging(["notificationUUID": uuid]) { $1 }
            let path = "/console/apps/{bundleId}/{environment}/notifications/{notificationUUID}"
            return [
                [
                    "words": .text(words.joined(separator: "/")), "count": .nothing,
                    "link": PageValue(page.link(path, more)),
                ]
            ]
        }
        return (answer?["notifications"]?.elements ?? []).compactMap { element in
            // The report of an advance counts the notifications of each type and subtype.
            let kind = [element["type"]?.text, element["subtype"]?.text].compactMap(\.self).joined(separator: "/")
            let words = element.text ?? kind
            guard !words.isEmpty else { return nil }
            let customer = answer?["customer"]?.text ?? parameters["customer"]
            let query = [(name: "type", value: words)] + (customer.map { [(name: "customer", value: $0)] } ?? [])
            return [
                "words": .text(words), "count": PageValue(element["count"]?.text),
                "link": PageValue(
                    page.link("/console/apps/{bundleId}/{environment}/notifications", parameters, query: query)
                ),
            ]
        }
    }

    private func rows(_ answer: JSONTree?, _ page: PageRequest) -> [PageValue] {
        guard let id = answer?["transactionId"]?.text, let customer = answer?["customer"]?.text else { return [] }
        let more = parameters.merging(["customer": customer, "transactionId": id]) { $1 }
        return [
            [
                "id": .text(id), "product": PageValue(answer?["productId"]?.text),
                // The price is shown only if the action charged it.
                "price": PageValue(
                    sells(answer) ? Words.money(answer?["price"]?.number, answer?["currency"]?.text) : nil
                ),
                "link": PageValue(page.link(RowsCard.path, more)),
                "subscription": PageValue(answer?["subscription"]?["summary"]?.text.map(Words.datesInWords)),
            ]
        ]
    }

    private func sells(_ answer: JSONTree?) -> Bool {
        let events = (answer?["events"]?.elements ?? []).compactMap(\.text)
        return events.contains { Self.sales.contains($0) }
    }

    /// Events that charge the customer.
    private static let sales: Set = ["charged", "subscribed", "resubscribed", "renewed", "recovered", "upgraded"]

    /// Links to the objects that the action created, unless the current page shows them.
    private func links(_ answer: JSONTree?, _ page: PageRequest) -> [PageValue] {
        var links: [PageValue] = []
        func link(
            _ words: String,
            _ path: String,
            _ more: [String: String],
            query: [(name: String, value: String)] = []
        ) {
            guard let address = page.link(path, parameters.merging(more) { $1 }, query: query) else { return }
            links.append(["words": .text(words), "address": .text(address)])
        }
        if let app = answer?["bundleId"]?.text, parameters["bundleId"] == nil {
            link("Open \(app)", "/console/apps/{bundleId}/{environment}/", ["bundleId": app, "environment": "sandbox"])
        }
        let here = parameters["customer"] ?? page.parameters["customer"]
        if let customer = answer?["customer"]?.text, here != customer {
            link(
                "Open \(customer)",
                "/console/apps/{bundleId}/{environment}/customers/{customer}",
                ["customer": customer]
            )
        }
        if answer?["testNotificationToken"] != nil {
            let query = [(name: "type", value: "TEST")]
            link("View the notification", "/console/apps/{bundleId}/{environment}/notifications", [:], query: query)
        }
        return links
    }

    /// The result of advancing a clock; nothing for other operations.
    private func advance(_ answer: JSONTree?) -> PageValue {
        guard let answer, let from = answer["from"]?.number, let to = answer["to"]?.number else { return .nothing }
        return [
            "from": Words.time(from), "to": Words.time(to), "length": .text(Words.length(from: from, to: to)),
            "accounts": PageValue(answer["accounts"]?.text),
            "quarantined": .list((answer["quarantined"]?.elements ?? []).map { PageValue($0) }),
            "pendingDeliveries": PageValue(answer["pending"]?.text),
        ]
    }

    /// The top-level values of a response without events, such as the response of a catalog import.
    private func facts(_ answer: JSONTree?) -> [PageValue] {
        guard let answer, answer["events"] == nil, answer["from"] == nil else { return [] }
        return answer.members.compactMap { member in
            if case .bool = member.value { return nil }
            guard !Self.secrets.contains(member.key), let text = member.value.text, text.utf8.count <= 200 else {
                return nil
            }
            let isInstant = member.key.hasSuffix("Date") || ["now", "date", "savedAt"].contains(member.key)
            let words = isInstant ? member.value.number.map(Words.instant) ?? text : text
            return ["name": .text(Words.sentence(member.key)), "value": .text(words)]
        }
    }

    private func secrets(_ answer: JSONTree?) -> [PageValue] {
        (answer?.members ?? []).compactMap { member in
            guard Self.secrets.contains(member.key), let text = member.value.text else { return nil }
            let name = answer?["keyId"]?.text.map { "AuthKey_\($0).p8" } ?? "\(member.key).txt"
            return [
                "id": .text("secret-\(member.key)"), "name": .text(Words.sentence(member.key)), "value": .text(text),
                "file": .text(name),
                "data": .text("data:application/octet-stream;charset=utf-8,\(Address.escaped(text))"),
            ]
        }
    }

    /// The response with its secrets replaced, because the page shows them separately.
    private static func withoutSecrets(_ tree: JSONTree) -> JSONTree {
        .object(
            tree.members.map { member in
                secrets.contains(member.key) ? .init(member.key, .string("(shown above)")) : member
            }
        )
    }
}
