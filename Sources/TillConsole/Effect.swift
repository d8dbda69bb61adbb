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
    /// Why the last attempts of deliveries failed, by notification and endpoint.
    var reasons: [String: String] = [:]

    /// Keys with secret values. The page shows such a value once, after the action that created it.
    private static let secrets: Set = ["privateKey", "token", "sharedSecret", "secret", "password"]

    /// The value for `{{>effect}}`.
    func value(_ page: PageRequest) -> PageValue {
        switch outcome {
        case nil: ["title": title, "isUnderWay": true]
        case .failure(let error)?: Self.rejection(error, page).with(["title": title])
        case .success(let answer)?: value(of: answer, page)
        }
    }

    private func value(of answer: ActionAnswer, _ page: PageRequest) -> PageValue {
        // The types of the contract encode without errors.
        let tree: JSONTree? = try? (answer is NoAnswer ? nil : JSONTree(encoding: answer))
        let shown = ShownAnswer(answer)
        let settled = (answer as? any SettledAnswer)?.settled
        let results = settled?.pendingDeliveries.compactMap(\.sendAttemptResult) ?? []
        return [
            "title": title, "isDone": true, "hasFailures": results.contains { $0 != .success },
            "hasCaused": !shown.events.isEmpty || !shown.notifications.isEmpty, "events": shown.eventWords,
            "notifications": shown.notifications.listed { value(of: $0, by: shown.customer, page) },
            "transaction": shown.transaction.map { value(of: $0, isSold: shown.isSale, page) },
            "advance": shown.advance.map(value),
            "settled": settled.map(value),
            "facts": shown.facts ?? (shown.hasValues ? facts(tree) : []), "link": link(shown.link, page),
            "secrets": secrets(tree, key: (answer as? KeyInfo)?.keyId),
            "json": tree.map { Self.withoutSecrets($0).indented },
        ]
    }

    /// A notification with a link to it, or to the customer's notifications of the type.
    private func value(of notification: ShownAnswer.Notification, by customer: String?, _ page: PageRequest)
        -> PageValue
    {
        let link: String
        if let uuid = notification.uuid {
            link = page.link(.notification, parameters.merging(["notificationUUID": uuid]) { $1 })
        } else {
            let customer = (customer ?? parameters["customer"]).map { [(name: "customer", value: $0)] } ?? []
            link = page.link(.notifications, parameters, query: [(name: "type", value: notification.words)] + customer)
        }
        return ["words": notification.words, "count": notification.count, "link": link]
    }

    /// A transaction. The price is shown only if the action charged it.
    private func value(of transaction: TransactionInfo, isSold: Bool, _ page: PageRequest) -> PageValue {
        let id = transaction.transactionId
        return [
            "id": id, "product": transaction.productId,
            "price": isSold ? Words.money(transaction.price, transaction.currency) : nil,
            "link": page.link(.transaction, parameters.merging(["transactionId": id]) { $1 }),
            "subscription": transaction.subscription.map { Words.datesInWords($0.summary) },
        ]
    }

    /// A link to an object of the answer; nil if the current page shows it.
    private func link(_ link: ShownAnswer.Link?, _ page: PageRequest) -> PageValue? {
        switch link {
        case .app(let app)? where parameters["bundleId"] == nil:
            return ["words": "Open \(app)", "address": page.link(toEnvironment: AppEnvironment(app))]
        case .customer(let customer)? where parameters["customer"] ?? page.parameters["customer"] != customer:
            return self.link(toCustomer: customer, page)
        case .newCustomer(let customer)?: return self.link(toCustomer: customer, page)
        default: return nil
        }
    }

    private func link(toCustomer customer: String, _ page: PageRequest) -> PageValue {
        let address = page.link(.customer, parameters.merging(["customer": customer]) { $1 })
        return ["words": "Open \(customer)", "address": address]
    }

    /// The result of advancing a clock.
    private func value(of advance: AdvanceReportInfo) -> PageValue {
        let length = Words.length(from: advance.from.milliseconds, to: advance.to.milliseconds)
        return [
            "from": advance.from, "to": advance.to, "length": length, "accounts": advance.accounts,
            "quarantined": advance.quarantined,
        ]
    }

    /// The deliveries for which the action waited.
    private func value(of settled: SettledInfo) -> PageValue {
        [
            "delivered": settled.delivered, "pending": settled.pending,
            "deliveries": settled.pendingDeliveries.listed { delivery in
                [
                    "notification": delivery.notification, "endpoint": delivery.endpoint,
                    "result": delivery.sendAttemptResult.map {
                        Words.result($0, reasons[Self.key(delivery.notificationUUID, delivery.endpoint)])
                    },
                    "next": delivery.nextAttemptDate,
                ]
            },
        ]
    }

    /// Identifies a delivery in `reasons`.
    static func key(_ notification: String, _ endpoint: String) -> String { "\(notification) \(endpoint)" }

    /// The top-level values of an answer, such as that of a catalog import.
    private func facts(_ answer: JSONTree?) -> [PageValue] {
        (answer?.members ?? []).compactMap { member in
            if case .bool = member.value { return nil }
            guard !Self.secrets.contains(member.key), let text = member.value.text, text.utf8.count <= 200 else {
                return nil
            }
            let isInstant = member.key.hasSuffix("Date") || ["now", "date", "savedAt"].contains(member.key)
            let words = isInstant ? member.value.number.map { Words.instant($0) } ?? text : text
            return ["name": Words.sentence(member.key), "value": words]
        }
    }

    /// The secrets of an answer, with names for files. The file of a private key has the name that Apple gives it.
    private func secrets(_ answer: JSONTree?, key: String?) -> [PageValue] {
        (answer?.members ?? []).compactMap { member in
            guard Self.secrets.contains(member.key), let text = member.value.text else { return nil }
            return [
                "id": "secret-\(member.key)", "name": Words.sentence(member.key), "value": text,
                "file": key.map { "AuthKey_\($0).p8" } ?? "\(member.key).txt",
                "data": "data:application/octet-stream;charset=utf-8,\(Address.escaped(text))",
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

extension JSONTree {
    /// The indented text.
    var indented: String { String(decoding: written(), as: UTF8.self) }
}

/// The typed answer of an action, such as `PurchaseInfo`.
typealias ActionAnswer = any Encodable & Sendable

/// The answers of the operations that create an app and import its products.
struct NewAppAnswer: Encodable, Sendable {
    let app: AppInfo
    let catalog: CatalogImportInfo
}

/// What the page shows of the answer of an action, besides its values.
struct ShownAnswer: Sendable {
    /// A notification that the action caused, or several of one type.
    struct Notification: Sendable {
        /// The type, with its subtype after a slash.
        var words: String
        /// The number; nil for one.
        var count: Int?
        /// The ID of the notification; nil if the answer does not contain it.
        var uuid: String?
    }

    /// A page to open next.
    enum Link: Sendable {
        case app(String)
        case customer(String)
        /// A customer that the action created, whose page is not open yet.
        case newCustomer(String)
    }

    private(set) var events: [EventName] = []
    private(set) var notifications: [Notification] = []
    /// The transaction after the action.
    private(set) var transaction: TransactionInfo?
    /// The customer whose notifications are linked.
    private(set) var customer: String?
    private(set) var advance: AdvanceReportInfo?
    private(set) var link: Link?
    /// Whether the page lists the values of the answer.
    private(set) var hasValues = true
    /// The values of the answer in the words of the pages; nil for the values with the names of the contract.
    private(set) var facts: [PageValue]?
    /// Whether the events are those of a member who gets access, but does not pay.
    private var isOfFamily = false

    /// The names of the events, in the words of the pages.
    var eventWords: [String] {
        var words: [String] = []
        for event in events {
            let name = isOfFamily ? Self.familyWords(event) : Self.words(event)
            if let name, !words.contains(name) { words.append(name) }
        }
        return words
    }

    private static func words(_ event: EventName) -> String {
        switch event {
        case .cardChanged: "Payment method changed"
        case .purchaseHeld: "Purchase pending"
        case .purchaseDeclined: "Pending purchase declined"
        default: Words.sentence(event.rawValue)
        }
    }

    private static func familyWords(_ event: EventName) -> String? {
        switch event {
        case .charged, .offerRedeemed: nil
        case .subscribed, .resubscribed, .renewed: "Access shared"
        default: words(event)
        }
    }

    /// Whether the customer was charged.
    var isSale: Bool { events.contains { Self.sales.contains($0) } }

    private static let sales: Set<EventName> = [.charged, .subscribed, .resubscribed, .renewed, .recovered, .upgraded]

    init(_ answer: ActionAnswer) {
        facts = AnswerFacts.of(answer)
        switch answer {
        case let answer as ActionInfo:
            show(answer.events, answer.notifications, of: answer.transaction.customer)
            transaction = answer.transaction
        case let answer as PurchaseInfo:
            show(answer.events, answer.notifications, of: answer.customer)
            transaction = answer.transaction
        case let answer as CustomerChange: show(answer.events, answer.notifications, of: answer.customer.customer)
        case let answer as FamilyChange:
            show(answer.events, answer.notifications, of: nil)
            isOfFamily = true
        case let answer as CustomerInfo: link = .customer(answer.customer)
        case let answer as CustomerImportInfo: link = .newCustomer(answer.customer)
        case let answer as ErasureInfo: notifications = answer.notifications.map { Notification(words: $0) }
        case let answer as AdvanceReportInfo:
            notifications = answer.notifications.map { count in
                let words = [count.type.rawValue, count.subtype?.rawValue].compactMap(\.self).joined(separator: "/")
                return Notification(words: words, count: count.count)
            }
            advance = answer
            hasValues = false
        case let answer as NotificationInfo:
            notifications = [Notification(words: NotificationWords.words(answer), uuid: answer.notificationUUID)]
            customer = answer.customer
            link = customer.map { .customer($0) }
        case let answer as AppInfo: link = .app(answer.bundleId)
        case let answer as NewAppAnswer: link = .app(answer.app.bundleId)
        default: break
        }
    }

    private mutating func show(_ events: [EventName], _ notifications: [String], of customer: String?) {
        self.events = events
        self.notifications = notifications.map { Notification(words: $0) }
        self.customer = customer
        link = customer.map { .customer($0) }
        hasValues = false
    }
}
