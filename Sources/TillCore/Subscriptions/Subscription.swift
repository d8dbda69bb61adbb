/// A customer's subscription to a group. It stays the same through all changes of product.
package struct Subscription: HeldSubscription {
    package let groupID: String
    package var originalID: TransactionID
    package let originalPurchaseDate: Timestamp
    /// The state, with its transactions.
    package var state: SubscriptionState
    /// The customer's choices for the end of the period.
    package var preference: RenewalPreference
    /// Offers of the next periods, in the order in which they apply.
    package var pendingOffers: [PendingOffer] = []
    /// Offers that a scheduled change of plan displaced; they return when the change is withdrawn.
    package var suspendedOffers: [PendingOffer] = []
    package var recentStart: Timestamp
    /// Where the current run of periods began, in Pacific time.
    package var anchor: PeriodAnchor
    /// The token of future renewals.
    package var appAccountToken: String?
    /// Milliseconds of paid service, over all periods.
    package var paidService: Int64 = 0
    /// How many periods were paid, including the current one and one that was charged ahead.
    package var paidPeriods = 0
    /// The customer's price of a full period of the latest product; a higher catalog price needs a notice.
    package var agreedPrice: Money?
    /// Renewals since the customer's last purchase.
    package var renewals = 0
    /// A price increase, scheduled or announced.
    package var priceIncrease: PriceIncrease?
    /// When a higher price was last announced.
    package var lastPriceIncrease: Timestamp?
    /// At least those of the last year, oldest first.
    package var extensions: [RenewalExtension] = []
    /// Refunded transactions; the customer subscribed again during their periods. Oldest first. When such a refund is
    /// reversed, the transaction returns as a replaced one, so that no two are paid for the same time.
    package var replacedRefunds: [TransactionID] = []
    /// The end of the period in which the next one could not be charged ahead, because the product was not for sale.
    /// The next period is charged at its start. Nil where no charge was missed.
    package var missedCharge: Timestamp?
    /// False once the customer has turned family sharing off for this purchase.
    package var isShared = true

    /// A subscription; the defaults are those of a first purchase.
    package init(
        groupID: String,
        originalID: TransactionID,
        originalPurchaseDate: Timestamp,
        state: SubscriptionState,
        preference: RenewalPreference,
        recentStart: Timestamp,
        anchor: PeriodAnchor
    ) {
        self.groupID = groupID
        self.originalID = originalID
        self.originalPurchaseDate = originalPurchaseDate
        self.state = state
        self.preference = preference
        self.recentStart = recentStart
        self.anchor = anchor
    }

    package var ownership: Ownership { .purchased }
    package var bought: Subscription? { self }

    /// The price increase of a future renewal; nil for a customer who chose another product and will not pay it.
    package var expectedPriceIncrease: PriceIncrease? {
        preference.productID == latestTransaction.productID ? priceIncrease : nil
    }

    /// Whether a period before the current one was paid: Apple's condition for an extension.
    func hasPaidPeriodBefore(_ now: Timestamp) -> Bool {
        let open = now < state.latest.start ? state.periods : [state.latest]
        return paidPeriods > open.filter(\.transaction.isPaid).count
    }
}

/// A price increase for a subscriber (docs/api/lifecycle.md, Prices).
package struct PriceIncrease: Codable, Equatable, Sendable {
    /// Its progress.
    package enum Stage: String, Codable, Sendable {
        /// The customer has not been notified.
        case scheduled
        /// The customer must agree and has not answered.
        case pending
        /// The customer agreed, or was notified where no consent is needed.
        case accepted
    }

    /// The new price of a full period.
    package var price: Money
    /// Without consent the subscription ends.
    package var needsConsent: Bool
    /// Its progress.
    package var stage: Stage
    /// Renewals from this date have the new price; set when the customer is notified.
    package var effectiveFrom: Timestamp?

    /// When the store scheduled it; the customer is notified later.
    package var scheduledAt: Timestamp

    /// An increase that the customer has not been notified of.
    package init(price: Money, needsConsent: Bool, scheduledAt: Timestamp) {
        self.price = price
        self.needsConsent = needsConsent
        self.scheduledAt = scheduledAt
        stage = .scheduled
    }
}

/// An extension that was given.
package struct RenewalExtension: Codable, Equatable, Sendable {
    /// The developer's name for the request; the same name means the same request.
    package var request: String
    /// When it was given.
    package var date: Timestamp
    /// The transaction whose period was moved.
    package var lineItem: Int64?
    /// The new end of the period.
    package var effectiveDate: Timestamp

    /// An extension that was given.
    package init(request: String, date: Timestamp, lineItem: Int64?, effectiveDate: Timestamp) {
        self.request = request
        self.date = date
        self.lineItem = lineItem
        self.effectiveDate = effectiveDate
    }
}
