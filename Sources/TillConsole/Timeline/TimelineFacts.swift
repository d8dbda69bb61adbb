import TillCore

/// What the picture of a subscription is made of. Nothing else goes into it.
package struct TimelineFacts: Sendable {
    /// Rows of the subscription, in any order: the newest without a gap, or an older stretch of them.
    package var rows: [Transaction]
    /// The subscription as it stands.
    package var subscription: any HeldSubscription
    /// What renewal info says of it now.
    package var renewal: RenewalInfo
    /// What the developer's server was told of it, in any order.
    package var notices: [TimelineNotice]
    /// The instant up to which notifications are left out, because there are too many; nil when none is.
    package var toldSince: Timestamp?
    /// What people call a product, in the order in which their lanes stand: the highest level first. One that is not
    /// named here goes by its id, below the others.
    package var products: [(id: String, name: String)]
    /// The customer's time.
    package var now: Timestamp
    /// Whether there are periods before these rows.
    package var hasEarlier: Bool
    /// Where earlier periods are shown: an address that ends where the change number of a row belongs. Nil without one.
    package var earlier: String?
    /// Where a transaction is shown: an address that ends where its identifier belongs. Nil without one.
    package var transactions: String?
    /// Whether later periods are left out: then neither now nor what comes next is in the picture.
    package var isPast: Bool

    /// What a picture is made of.
    package init(
        rows: [Transaction],
        subscription: any HeldSubscription,
        renewal: RenewalInfo,
        notices: [TimelineNotice] = [],
        toldSince: Timestamp? = nil,
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
        self.toldSince = toldSince
        self.products = products
        self.now = now
        self.hasEarlier = hasEarlier
        self.earlier = earlier
        self.transactions = transactions
        self.isPast = isPast
    }

    /// What people call a product.
    func name(of product: String) -> String { products.first { $0.id == product }?.name ?? product }
}

/// A notification as a mark on the picture.
package struct TimelineNotice: Equatable, Sendable {
    /// What became of it.
    package enum Fate: String, Sendable {
        /// Every endpoint has it.
        case arrived
        /// It is tried again, or for the first time.
        case owed
        /// It was given up.
        case failed
        /// There is no endpoint that wants it.
        case unsent
    }

    /// `notificationType`.
    package var type: String
    /// `subtype`.
    package var subtype: String?
    /// When it was made.
    package var date: Timestamp
    /// The transaction that it is about.
    package var transaction: TransactionID?
    /// What became of it.
    package var fate: Fate
    /// Where it is shown; nil while nothing shows it.
    package var address: String?

    /// A notification.
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

    /// What it says of the subscription, by which its mark is shaped.
    var kind: TimelineMark.Kind {
        switch type {
        case "SUBSCRIBED", "ONE_TIME_CHARGE": .bought
        case "OFFER_REDEEMED": subtype == "UPGRADE" ? .bought : .changed
        case "DID_RENEW": .renewed
        case "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED": .trouble
        case "EXPIRED": .ended
        case "CONSUMPTION_REQUEST", "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE": .refund
        default: .changed
        }
    }
}
