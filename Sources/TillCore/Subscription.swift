/// A customer's subscription to a group: one entry for each purchaser, whatever products it went through.
package struct Subscription: Codable, Equatable, Sendable {
    /// `subscriptionGroupIdentifier` on the wire.
    package var groupID: String
    /// Bought, or shared by a family member.
    package var ownership: Ownership
    /// The id of the first purchase in the group; kept through every change and resubscription.
    package var originalID: TransactionID
    /// The same in every row of the subscription, in whole seconds.
    package var originalPurchaseDate: Timestamp
    /// The latest transaction, as it stands in the ledger.
    package var latestTransaction: Transaction
    /// The row whose period runs while `latestTransaction` has been charged ahead; of no meaning once that has begun.
    package var running: Transaction?
    /// Set by a purchase or a change of plan; `autoRenewStatus` on the wire.
    package var autoRenews: Bool
    /// The product of the next period.
    package var nextProductID: String
    /// Offers that the next periods carry, in the order in which they apply.
    package var pendingOffers: [PendingOffer] = []
    /// What waited before a change of plan was chosen; comes back when the choice is withdrawn.
    package var offersSetAside: [PendingOffer] = []
    /// The start of the present run without a long gap.
    package var recentStart: Timestamp
    /// Where the present run of periods began, in Pacific time.
    package var anchor: PeriodAnchor
    /// The token that coming renewals carry.
    package var appAccountToken: String?
    /// Milliseconds of service that were paid for, over all periods.
    package var paidService: Int64
    /// How many periods were paid for, the running one and one that was charged ahead included.
    package var paidPeriods = 0
    /// For a family member's copy: whose purchase it is.
    package var sharedFrom: AccountID?
    /// What a full period of the current product costs this customer; a higher price of the catalogue needs a notice.
    package var agreedPrice: Money?
    /// Renewals since the customer last bought.
    package var renewals = 0
    /// Set while a renewal cannot be charged, and kept when that ended the subscription.
    package var trouble: BillingTrouble?
    /// Why the subscription ended; nil while it has not.
    package var ended: ExpirationIntent?
    /// Whether the customer ended it within a grace period; of no meaning while `ended` is nil.
    package var wasLeftInGrace = false
    /// A higher price that is announced or will be.
    package var priceIncrease: PriceIncrease?
    /// When a higher price was last announced.
    package var lastPriceIncrease: Timestamp?
    /// Those of the last year and before, oldest first.
    package var extensions: [RenewalExtension] = []
    /// How the next period is paid, where the product leaves a choice and the customer made another.
    package var nextBillingPlan: BillingPlan.Kind?
    /// Whether another commitment follows the running one; of no meaning without one.
    package var commitmentRenews = true
    /// False once a customer has turned family sharing off for this purchase.
    package var isShared = true

    /// The price increase that a renewal will bring; nil for a customer who chose another product, who will not pay the
    /// higher price of this one.
    package var expectedPriceIncrease: PriceIncrease? {
        nextProductID == latestTransaction.productID ? priceIncrease : nil
    }

    /// The end of the latest period, past or to come. A period without an end is damage (`Account.damage`); whoever
    /// only reads it takes it as one that ended when it began.
    package var renewalDate: Timestamp { latestTransaction.expiresDate ?? latestTransaction.purchaseDate }

    /// How the subscription stands at an instant.
    package func status(at now: Timestamp) -> SubscriptionStatus {
        if let running = runningAhead(at: now) { return running.revocation == nil ? .active : .revoked }
        if latestTransaction.revocation != nil { return .revoked }
        if ended != nil { return .expired }
        if let trouble { return trouble.isInGrace(at: now) ? .gracePeriod : .billingRetry }
        return now < renewalDate ? .active : .expired
    }

    /// The row whose period still runs although the next one has been charged.
    func runningAhead(at now: Timestamp) -> Transaction? {
        now < latestTransaction.purchaseDate ? running : nil
    }

    /// Whether a period was paid before the one that runs: Apple's condition for an extension.
    func hasPaidPeriodBefore(_ now: Timestamp) -> Bool {
        paidPeriods > [latestTransaction, runningAhead(at: now)].filter { $0?.isPaid == true }.count
    }

    /// Whether access hangs on this row, now or once it has begun.
    func rests(on row: TransactionID) -> Bool { latestTransaction.id == row || running?.id == row }
}

/// A renewal that could not be charged.
package struct BillingTrouble: Codable, Equatable, Sendable {
    /// Access goes on until then; nil without a grace period. Past while only the retries go on.
    package var graceUntil: Timestamp?
    /// The last attempt at charging.
    package var retryUntil: Timestamp
    /// Whether the end of the grace period has been told.
    package var isGraceOver: Bool

    /// A failure.
    package init(graceUntil: Timestamp?, retryUntil: Timestamp) {
        self.graceUntil = graceUntil
        self.retryUntil = retryUntil
        isGraceOver = graceUntil == nil
    }

    /// Whether the customer has access by grace.
    package func isInGrace(at now: Timestamp) -> Bool {
        guard let graceUntil, !isGraceOver else { return false }
        return now < graceUntil
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

/// `status` on the wire (docs/api/subscriptions.md).
package enum SubscriptionStatus: Int, Codable, CaseIterable, Sendable {
    case active = 1
    case expired = 2
    case billingRetry = 3
    case gracePeriod = 4
    case revoked = 5
}

/// `expirationIntent` on the wire: why a subscription ended.
package enum ExpirationIntent: Int, Codable, CaseIterable, Sendable {
    case customer = 1
    case billing = 2
    case priceIncrease = 3
    case productUnavailable = 4
    case other = 5
}
