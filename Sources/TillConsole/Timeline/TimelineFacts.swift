import TillCore

/// The complete input of a subscription's timeline.
package struct TimelineFacts: Sendable {
    /// The subscription's transactions in any order: the newest without a gap, or a range of older transactions.
    package var rows: [Transaction]
    /// The current subscription.
    package var subscription: any HeldSubscription
    /// The current renewal info.
    package var renewal: RenewalInfo
    /// The subscription's notifications, in any order.
    package var notices: [TimelineNotice]
    /// Notifications before this time are omitted, because there are too many; nil if none are omitted.
    package var knownSince: Timestamp?
    /// Products with their names in lane order, highest level first. The lanes of other products follow below and show
    /// product IDs.
    package var products: [(id: String, name: String)]
    /// The current time on the customer's clock.
    package var now: Timestamp
    /// Whether there are earlier periods.
    package var hasEarlier: Bool
    /// The URL of earlier periods, to which a change number is appended; nil for a timeline without links.
    package var earlier: String?
    /// The URL of a transaction, to which its ID is appended; nil for a timeline without links.
    package var transactions: String?
    /// Whether later periods are omitted. The timeline then shows neither the current time nor the next period.
    package var isPast: Bool

    /// Creates the input of a timeline.
    package init(
        rows: [Transaction],
        subscription: any HeldSubscription,
        renewal: RenewalInfo,
        notices: [TimelineNotice] = [],
        knownSince: Timestamp? = nil,
        products: [(id: String, name: String)] = [],
        now: Timestamp,
        hasEarlier: Bool = false,
        earlier: String? = nil,
        transactions: String? = nil,
        isPast: Bool = false
    ) {
        self.rows = rows
        self.subscription = subscription
        self.renewal = renewal
        self.notices = notices
        self.knownSince = knownSince
        self.products = products
        self.now = now
        self.hasEarlier = hasEarlier
        self.earlier = earlier
        self.transactions = transactions
        self.isPast = isPast
    }

    /// The display name of a product.
    func name(of product: String) -> String { products.first { $0.id == product }?.name ?? product }
}

/// A notification, shown as a mark on the timeline.
package struct TimelineNotice: Equatable, Sendable {
    /// The delivery status of a notification.
    package enum Fate: String, Sendable {
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
    package var type: String
    /// `subtype`.
    package var subtype: String?
    /// The signed date.
    package var date: Timestamp
    /// The transaction in the notification.
    package var transaction: TransactionID?
    /// The delivery status.
    package var fate: Fate
    /// The URL of the notification's page; nil for a timeline without links.
    package var address: String?

    /// Creates a notification.
    package init(
        type: String,
        subtype: String?,
        date: Timestamp,
        transaction: TransactionID?,
        fate: Fate,
        address: String?
    ) {
        self.type = type
        self.subtype = subtype
        self.date = date
        self.transaction = transaction
        self.fate = fate
        self.address = address
    }

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
