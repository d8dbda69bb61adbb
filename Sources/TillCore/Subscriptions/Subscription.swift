/// A customer's subscription to a group: one for each purchaser, whatever products it went through.
package struct Subscription: HeldSubscription {
    package let groupID: String
    package var originalID: TransactionID
    package let originalPurchaseDate: Timestamp
    /// The state, with the transactions that belong to it.
    package var state: SubscriptionState
    /// What the customer chose for the end of the period.
    package var preference: RenewalPreference
    /// Offers that the next periods carry, in the order in which they apply.
    package var pendingOffers: [PendingOffer] = []
    /// What waited before a change of plan was chosen; comes back when the choice is withdrawn.
    package var offersSetAside: [PendingOffer] = []
    package var recentStart: Timestamp
    /// Where the present run of periods began, in Pacific time.
    package var anchor: PeriodAnchor
    /// The token that coming renewals carry.
    package var appAccountToken: String?
    /// Milliseconds of service that were paid for, over all periods.
    package var paidService: Int64 = 0
    /// How many periods were paid for, the running one and one that was charged ahead included.
    package var paidPeriods = 0
    /// What a full period of the latest product costs this customer; a higher price of the catalog needs a notice.
    package var agreedPrice: Money?
    /// Renewals since the customer last bought.
    package var renewals = 0
    /// A higher price that is announced or will be.
    package var priceIncrease: PriceIncrease?
    /// When a higher price was last announced.
    package var lastPriceIncrease: Timestamp?
    /// Those of the last year and before, oldest first.
    package var extensions: [RenewalExtension] = []
    /// Refunded transactions in whose periods the customer subscribed again, oldest first: when such a refund is
    /// reversed, the transaction comes back as one that was replaced, so that no two are paid for the same time.
    package var replacedRefunds: [TransactionID] = []
    /// The end of the period before which the product was not for sale when the next period would have been charged
    /// ahead: that is charged at its start then. Nil where none was missed.
    package var missedCharge: Timestamp?
    /// False once the customer has turned family sharing off for this purchase.
    package var isShared = true

    /// A subscription; what is not named is that of a first purchase.
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

    /// The price increase that a renewal will bring; nil for a customer who chose another product, who will not pay the
    /// higher price of this one.
    package var expectedPriceIncrease: PriceIncrease? {
        preference.productID == latestTransaction.productID ? priceIncrease : nil
    }

    /// Whether a period was paid before the one that runs: Apple's condition for an extension.
    func hasPaidPeriodBefore(_ now: Timestamp) -> Bool {
        let open = now < state.latest.start ? state.periods : [state.latest]
        return paidPeriods > open.filter(\.transaction.isPaid).count
    }
}

/// A higher price for a subscriber (docs/api/lifecycle.md, Prices).
package struct PriceIncrease: Codable, Equatable, Sendable {
    /// How far it has come.
    package enum Stage: String, Codable, Sendable {
        /// The customer has not been told.
        case scheduled
        /// The customer must agree and has not answered.
        case pending
        /// The customer agreed, or was told where no consent is needed.
        case accepted
    }

    /// What a full period will cost.
    package var price: Money
    /// Without consent the subscription ends instead.
    package var needsConsent: Bool
    /// How far it has come.
    package var stage: Stage
    /// Renewals from then on cost the new price; known once the customer was told.
    package var effectiveFrom: Timestamp?

    /// When the store decided on it; the customer is told later.
    package var scheduledAt: Timestamp

    /// An increase of which the customer has not been told.
    package init(price: Money, needsConsent: Bool, scheduledAt: Timestamp) {
        self.price = price
        self.needsConsent = needsConsent
        self.scheduledAt = scheduledAt
        stage = .scheduled
    }
}

/// An extension that was given.
package struct RenewalExtension: Codable, Equatable, Sendable {
    /// The developer's name for the request; the same name again is the same request.
    package var request: String
    /// When it was given.
    package var date: Timestamp
    /// The row whose period was moved.
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
