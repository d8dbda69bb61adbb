/// A customer's subscription to a group. A change of product does not create another subscription.
package struct Subscription: HeldSubscription {
    package let groupID: String
    package var originalID: TransactionID
    package let originalPurchaseDate: Timestamp
    /// The state, including its transactions.
    package var state: SubscriptionState
    /// The customer's choices for the end of the period.
    package var preference: RenewalPreference
    /// The offers for the next periods, in the order in which they apply.
    package var pendingOffers: [PendingOffer] = []
    /// The offers that a scheduled change of plan displaced. They apply again if the customer withdraws the change.
    package var suspendedOffers: [PendingOffer] = []
    package var recentStart: Timestamp
    /// The beginning of the current run of periods, in Pacific time.
    package var anchor: PeriodAnchor
    /// The app account token of future renewals.
    package var appAccountToken: String?
    /// The total of paid service over all periods, in milliseconds.
    package var paidService: Int64 = 0
    /// The number of paid periods, including the current period and a period that was charged in advance.
    package var paidPeriods = 0
    /// The customer's price of a full period of the latest product. A higher price applies only after a notification.
    package var agreedPrice: Money?
    /// The number of renewals since the customer's last purchase.
    package var renewals = 0
    /// A price increase that is scheduled, or that the customer was notified of.
    package var priceIncrease: PriceIncrease?
    /// The instant of the latest notification of a price increase.
    package var lastPriceIncrease: Timestamp?
    /// The extensions of at least the last year, oldest first.
    package var extensions: [RenewalExtension] = []
    /// Refunded transactions during whose periods the customer subscribed again, oldest first. If such a refund is
    /// reversed, the transaction counts as replaced, because two paid periods must not overlap.
    package var replacedRefunds: [TransactionID] = []
    /// The end of the current period, if the product was not for sale when the next period should have been charged in
    /// advance. The next period is then charged when it begins. Nil if no charge was missed.
    package var missedCharge: Timestamp?
    /// False if the customer has turned family sharing off for this purchase.
    package var isShared = true

    /// A subscription. The default values are those of a first purchase.
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

    package var ownership: InAppOwnershipType { .purchased }
    package var bought: Subscription? { self }

    /// The price increase that will apply to a future renewal. Nil if the customer chose another product.
    package var expectedPriceIncrease: PriceIncrease? {
        preference.productID == latestTransaction.productID ? priceIncrease : nil
    }

    /// Whether the customer paid for a period before the current one, which is Apple's condition for an extension.
    func hasPaidPeriodBefore(_ now: Timestamp) -> Bool {
        let open = now < state.latest.start ? state.periods : [state.latest]
        return paidPeriods > open.filter(\.transaction.isPaid).count
    }
}

/// A price increase for a subscriber (docs/api/lifecycle.md, Prices).
package struct PriceIncrease: Codable, Equatable, Sendable {
    /// The new price of a full period.
    package var price: Money
    /// Whether the customer must agree. Without the customer's consent, such a subscription expires.
    package var needsConsent: Bool
    /// The progress of this price increase.
    package var stage: PriceIncreaseState
    /// The first instant at which a renewal has the new price; set when the customer is notified.
    package var effectiveFrom: Timestamp?

    /// The instant at which the increase was scheduled. The customer is notified later.
    package var scheduledAt: Timestamp

    /// A price increase that the customer has not been notified of.
    package init(price: Money, needsConsent: Bool, scheduledAt: Timestamp) {
        self.price = price
        self.needsConsent = needsConsent
        self.scheduledAt = scheduledAt
        stage = .scheduled
    }
}

/// An extension that the customer received.
package struct RenewalExtension: Codable, Equatable, Sendable {
    /// The developer's identifier of the request. Two requests with the same identifier are the same request.
    package var request: String
    /// The instant of the extension.
    package var date: Timestamp
    /// The line item (`webOrderLineItemId`) of the transaction whose period was extended.
    package var lineItem: Int64?
    /// The new end of the period, after the extension.
    package var effectiveDate: Timestamp

    /// An extension that the customer received.
    package init(request: String, date: Timestamp, lineItem: Int64?, effectiveDate: Timestamp) {
        self.request = request
        self.date = date
        self.lineItem = lineItem
        self.effectiveDate = effectiveDate
    }
}
