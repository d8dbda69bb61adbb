import TillControl
import TillJSON
import TillServer
import TillShop

/// The result of an action, shown above the page by `{{>effect}}`.
struct Effect: Sendable {
    /// The name of the action.
    let title: String
    /// The answer or the error; nil while the action is in progress.
    var outcome: Result<ActionAnswer, ControlError>?
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

    private func value(of answer: ActionAnswer, _ page: PageRequest) -> PageValue {
        // The types of the contract encode without errors.
        let tree: JSONTree? = try? (answer is NoAnswer ? nil : JSONTree(encoding: answer))
        let shown = ShownAnswer(answer)
        let json = tree.map { String(decoding: Self.withoutSecrets($0).written(), as: UTF8.self) }
        return [
            "title": .text(title), "isUnderWay": false, "isRefused": false, "isDone": true,
            "events": .list(shown.events.map { .text(Words.sentence($0.rawValue)) }),
            "notifications": .list(shown.notifications.map { value(of: $0, by: shown.customer, page) }),
            "transaction": shown.transaction.map { value(of: $0, isSold: shown.isSale, page) } ?? .nothing,
            "advance": shown.advance.map(value) ?? .nothing,
            "settled": (answer as? any SettledAnswer)?.settled.map(value) ?? .nothing,
            "facts": .list(shown.hasValues ? facts(tree) : []), "links": .list(links(shown.link, page)),
            "secrets": .list(secrets(tree, key: (answer as? KeyInfo)?.keyId)),
            "json": PageValue(json),
        ]
    }

    /// A notification with a link to it, or to the customer's notifications of the type.
    private func value(of notification: ShownAnswer.Notification, by customer: String?, _ page: PageRequest)
        -> PageValue
    {
        let link: String?
        if let uuid = notification.uuid {
            link = page.link(ConsolePage.notificationPath, parameters.merging(["notificationUUID": uuid]) { $1 })
        } else {
            let customer = customer ?? parameters["customer"]
            let query =
                [(name: "type", value: notification.words)] + (customer.map { [(name: "customer", value: $0)] } ?? [])
            link = page.link(NotificationTable.path, parameters, query: query)
        }
        return [
            "words": .text(notification.words), "count": PageValue(notification.count.map { String($0) }),
            "link": PageValue(link),
        ]
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

    /// A link to an object of the answer, unless the current page shows it.
    private func links(_ link: ShownAnswer.Link?, _ page: PageRequest) -> [PageValue] {
        let (words, address): (String, String?)
        switch link {
        case .app(let app)?:
            guard parameters["bundleId"] == nil else { return [] }
            (words, address) = ("Open \(app)", page.link(toEnvironment: AppEnvironment(app)))
        case .customer(let customer)?:
            guard parameters["customer"] ?? page.parameters["customer"] != customer else { return [] }
            let more = parameters.merging(["customer": customer]) { $1 }
            (words, address) = ("Open \(customer)", page.link(ConsolePage.customerPath, more))
        case nil: return []
        }
        return address.map { [["words": .text(words), "address": .text($0)]] } ?? []
    }

    /// The result of advancing a clock.
    private func value(of advance: AdvanceReportInfo) -> PageValue {
        let length = Words.length(from: advance.from.milliseconds, to: advance.to.milliseconds)
        return [
            "from": Words.time(advance.from), "to": Words.time(advance.to), "length": .text(length),
            "accounts": PageValue(advance.accounts), "quarantined": .list(advance.quarantined.map { .text($0) }),
        ]
    }

    /// The deliveries for which the action waited.
    private func value(of settled: SettledInfo) -> PageValue {
        [
            "delivered": PageValue(settled.delivered), "pending": PageValue(settled.pending),
            "deliveries": .list(
                settled.pendingDeliveries.map { delivery in
                    [
                        "notification": .text(delivery.notification), "endpoint": .text(delivery.endpoint),
                        "result": PageValue(delivery.sendAttemptResult.map { Words.sentence($0.rawValue) }),
                        "next": delivery.nextAttemptDate.map { Words.time($0) } ?? .nothing,
                    ]
                }
            ),
        ]
    }

    /// The top-level values of an answer, such as that of a catalog import.
    private func facts(_ answer: JSONTree?) -> [PageValue] {
        (answer?.members ?? []).compactMap { member in
            if case .bool = member.value { return nil }
            guard !Self.secrets.contains(member.key), let text = member.value.text, text.utf8.count <= 200 else {
                return nil
            }
            let isInstant = member.key.hasSuffix("Date") || ["now", "date", "savedAt"].contains(member.key)
            let words = isInstant ? member.value.number.map(Words.instant) ?? text : text
            return ["name": .text(Words.sentence(member.key)), "value": .text(words)]
        }
    }

    /// The secrets of an answer, with names for files. The file of a private key has the name that Apple gives it.
    private func secrets(_ answer: JSONTree?, key: String?) -> [PageValue] {
        (answer?.members ?? []).compactMap { member in
            guard Self.secrets.contains(member.key), let text = member.value.text else { return nil }
            let name = key.map { "AuthKey_\($0).p8" } ?? "\(member.key).txt"
            return [
                "id": .text("secret-\(member.key)"), "name": .text(Words.sentence(member.key)), "value": .text(text),
                "file": .text(name),
                "data": .text("data:application/octet-stream;charset=utf-8,\(Address.escaped(text))"),
            ]
        }
    }

    /// The response with its secrets replaced, because the page shows them separately.
    private static func withoutSecrets(_ tree: JSONTree) -> JSONTree {
        guard case .object(let members) = tree else { return tree }
        return .object(
            members.map { member in
                secrets.contains(member.key) ? .init(member.key, .string("(shown above)")) : member
            }
        )
    }
}
