import TillCore

/// The complete input of a subscription's timeline.
struct TimelineFacts: Sendable {
    /// The subscription's transactions in any order: the newest without a gap, or a range of older transactions.
    var rows: [Transaction]
    /// The current subscription.
    var subscription: any HeldSubscription
    /// The current renewal info.
    var renewal: RenewalInfo
    /// The subscription's notifications, in any order.
    var notices: [TimelineNotice] = []
    /// Notifications before this time are omitted, because there are too many; nil if none are omitted.
    var knownSince: Timestamp?
    /// Products with their names in lane order, highest level first. The lanes of other products follow below and show
    /// product IDs.
    var products: [(id: String, name: String)] = []
    /// The current time on the customer's clock.
    var now: Timestamp
    /// Whether there are earlier periods.
    var hasEarlier = false
    /// The URL of earlier periods, to which a change number is appended; nil for a timeline without links.
    var earlier: String?
    /// The URL of a transaction, to which its ID is appended; nil for a timeline without links.
    var transactions: String?
    /// Whether later periods are omitted. The timeline then shows neither the current time nor the next period.
    var isPast = false

    /// The display name of a product.
    func name(of product: String) -> String { products.first { $0.id == product }?.name ?? product }
}

/// A notification, shown as a mark on the timeline.
struct TimelineNotice: Equatable, Sendable {
    /// The delivery status of a notification.
    enum Fate: String, Sendable {
        /// Delivered to every endpoint.
        case arrived
        /// At least one delivery is pending.
        case pending
        /// At least one delivery failed, and no delivery is pending.
        case failed
        /// No endpoint was configured for it.
        case unsent
    }

    /// `notificationType`.
    var type: String
    var subtype: String?
    /// The signed date.
    var date: Timestamp
    /// The transaction in the notification.
    var transaction: TransactionID?
    var fate: Fate
    /// The URL of the notification's page; nil for a timeline without links.
    var address: String?
    /// Whether an attempt of a pending delivery has failed.
    var isRetried = false

    /// `SUBSCRIBED/INITIAL_BUY`, `DID_RENEW`.
    var words: String { type + (subtype.map { "/\($0)" } ?? "") }

    /// The kind of event, which selects the shape of the mark.
    var kind: TimelineMark.Kind {
        switch type {
        case "SUBSCRIBED", "ONE_TIME_CHARGE": .bought
        case "OFFER_REDEEMED": subtype == "UPGRADE" ? .bought : .changed
        case "DID_RENEW": .renewed
        case "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED": .billingIssue
        case "EXPIRED": .ended
        case "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE": .refund
        default: .changed
        }
    }
}
