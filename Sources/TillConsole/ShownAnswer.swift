import TillControl

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

    /// Whether the customer was charged.
    var isSale: Bool { events.contains { Self.sales.contains($0) } }

    private static let sales: Set<EventName> = [.charged, .subscribed, .resubscribed, .renewed, .recovered, .upgraded]

    init(_ answer: ActionAnswer) {
        switch answer {
        case let answer as ActionInfo:
            show(answer.events, answer.notifications, of: answer.transaction.customer)
            transaction = answer.transaction
        case let answer as PurchaseInfo:
            show(answer.events, answer.notifications, of: answer.customer)
            transaction = answer.transaction
        case let answer as CustomerChange: show(answer.events, answer.notifications, of: answer.customer.customer)
        case let answer as FamilyChange: show(answer.events, answer.notifications, of: nil)
        case let answer as CustomerInfo: link = .customer(answer.customer)
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
