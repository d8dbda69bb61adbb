import TillControl
import TillJSON
import TillServer
import TillShop

/// The result of an action, shown above the page by `{{>effect}}`.
struct Effect: Sendable {
    /// The name of the action.
    let title: String
    /// The answer or the error; nil while the action is in progress.
    var outcome: Result<OperationAnswer, ControlError>?
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

    private func value(of answer: OperationAnswer, _ page: PageRequest) -> PageValue {
        let tree = answer.tree
        let effects = EffectsOfAction(answer)
        let json = tree.map { String(decoding: Self.withoutSecrets($0).written(), as: UTF8.self) }
        return [
            "title": .text(title), "isUnderWay": false, "isRefused": false, "isDone": true,
            "events": .list((effects?.events ?? []).map { .text(Words.sentence($0.rawValue)) }),
            "notifications": .list(
                effects.map { notifications($0, page) } ?? notificationsOfUndeclared(tree, page)
            ),
            "transaction": effects?.transaction.map { value(of: $0, isSold: effects?.isSale == true, page) }
                ?? .nothing,
            "advance": advance(tree),
            "facts": .list(effects == nil ? facts(tree) : []), "links": .list(links(answer, page)),
            "secrets": .list(secrets(tree)),
            "json": PageValue(json),
        ]
    }

    /// Notification types, each with a link to the customer's notifications of the type.
    private func notifications(_ effects: EffectsOfAction, _ page: PageRequest) -> [PageValue] {
        let customer = effects.customer ?? parameters["customer"]
        return effects.notifications.map { notification($0, of: customer, page) }
    }

    private func notification(_ words: String, of customer: String?, count: String? = nil, _ page: PageRequest)
        -> PageValue
    {
        let query = [(name: "type", value: words)] + (customer.map { [(name: "customer", value: $0)] } ?? [])
        let link = page.link("/console/apps/{bundleId}/{environment}/notifications", parameters, query: query)
        return ["words": .text(words), "count": PageValue(count), "link": PageValue(link)]
    }

    /// The notifications in the answer of an operation that is not declared as a type yet.
    private func notificationsOfUndeclared(_ answer: JSONTree?, _ page: PageRequest) -> [PageValue] {
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
            return notification(words, of: customer, count: element["count"]?.text, page)
        }
    }

    /// A transaction. The price is shown only if the action charged it.
    private func value(of transaction: TransactionInfo, isSold: Bool, _ page: PageRequest) -> PageValue {
        let id = transaction.transactionId
        return [
            "id": .text(id), "product": .text(transaction.productId),
            "price": PageValue(isSold ? Words.money(transaction.price, transaction.currency) : nil),
            "link": PageValue(page.link(RowsCard.path, parameters.merging(["transactionId": id]) { $1 })),
            "subscription": PageValue(transaction.subscription.map { Words.datesInWords($0.summary) }),
        ]
    }

    /// Links to the objects that the action created, unless the current page shows them.
    private func links(_ answer: OperationAnswer, _ page: PageRequest) -> [PageValue] {
        let tree = answer.tree
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
        if let app = tree?["bundleId"]?.text, parameters["bundleId"] == nil {
            link("Open \(app)", "/console/apps/{bundleId}/{environment}/", ["bundleId": app, "environment": "sandbox"])
        }
        let here = parameters["customer"] ?? page.parameters["customer"]
        if let customer = EffectsOfAction.customer(of: answer), here != customer {
            link("Open \(customer)", ConsolePage.customerPath, ["customer": customer])
        }
        if tree?["testNotificationToken"] != nil {
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

    /// The top-level values of an answer without events, such as the answer of a catalog import.
    private func facts(_ answer: JSONTree?) -> [PageValue] {
        guard let answer, answer["from"] == nil else { return [] }
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
