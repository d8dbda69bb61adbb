import TillControl
import TillServer

/// The typed answer of an action, such as `PurchaseInfo`.
typealias ActionAnswer = any Encodable & Sendable

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

    var events: [EventName] = []
    var notifications: [Notification] = []
    /// The transaction after the action.
    var transaction: TransactionInfo?
    /// The customer whose notifications are linked.
    var customer: String?
    var advance: AdvanceReportInfo?
    var link: Link?
    /// Whether the page lists the values of the answer.
    var hasValues = true

    /// Whether the customer was charged.
    var isSale: Bool { events.contains { Self.sales.contains($0) } }

    private static let sales: Set<EventName> = [.charged, .subscribed, .resubscribed, .renewed, .recovered, .upgraded]

    init() {}

    init(_ answer: ActionAnswer) {
        if let answer = answer as? any DescribedAnswer { self = answer.shown }
    }

    fileprivate init(_ events: [EventName], _ notifications: [String], of customer: String?) {
        self.events = events
        self.notifications = notifications.map { Notification(words: $0) }
        self.customer = customer
        link = customer.map { .customer($0) }
        hasValues = false
    }
}

/// An answer of which the page shows more than its values.
private protocol DescribedAnswer: Sendable {
    /// What the page shows.
    var shown: ShownAnswer { get }
}

extension ActionInfo: DescribedAnswer {
    fileprivate var shown: ShownAnswer {
        var shown = ShownAnswer(events, notifications, of: transaction.customer)
        shown.transaction = transaction
        return shown
    }
}

extension PurchaseInfo: DescribedAnswer {
    fileprivate var shown: ShownAnswer {
        var shown = ShownAnswer(events, notifications, of: customer)
        shown.transaction = transaction
        return shown
    }
}

extension CustomerChange: DescribedAnswer {
    fileprivate var shown: ShownAnswer { ShownAnswer(events, notifications, of: customer.customer) }
}

extension FamilyChange: DescribedAnswer {
    fileprivate var shown: ShownAnswer { ShownAnswer(events, notifications, of: nil) }
}

extension CustomerInfo: DescribedAnswer {
    fileprivate var shown: ShownAnswer {
        var shown = ShownAnswer()
        shown.link = .customer(customer)
        return shown
    }
}

extension ErasureInfo: DescribedAnswer {
    fileprivate var shown: ShownAnswer {
        var shown = ShownAnswer()
        shown.notifications = notifications.map { ShownAnswer.Notification(words: $0) }
        return shown
    }
}

extension AdvanceReportInfo: DescribedAnswer {
    fileprivate var shown: ShownAnswer {
        var shown = ShownAnswer()
        shown.notifications = notifications.map { count in
            let words = [count.type.rawValue, count.subtype?.rawValue].compactMap(\.self).joined(separator: "/")
            return ShownAnswer.Notification(words: words, count: count.count)
        }
        shown.advance = self
        shown.hasValues = false
        return shown
    }
}

extension NotificationInfo: DescribedAnswer {
    fileprivate var shown: ShownAnswer {
        var shown = ShownAnswer()
        shown.notifications = [.init(words: NotificationWords.words(self), uuid: notificationUUID)]
        shown.customer = customer
        shown.link = customer.map { .customer($0) }
        return shown
    }
}

extension AppInfo: DescribedAnswer {
    fileprivate var shown: ShownAnswer {
        var shown = ShownAnswer()
        shown.link = .app(bundleId)
        return shown
    }
}

extension NewAppAnswer: DescribedAnswer {
    fileprivate var shown: ShownAnswer { app.shown }
}
