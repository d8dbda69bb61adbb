/// The content of signed renewal info about a subscription at an instant (docs/api/payloads.md).
package struct RenewalInfo: Equatable, Sendable {
    /// `originalTransactionId`; clients match it with transactions.
    package var originalID: TransactionID
    package let account: AccountID
    /// The product of the latest period.
    package let productID: String
    /// The product of the next period.
    package let autoRenewProductID: String
    /// `autoRenewStatus` on the wire, as 1 or 0.
    package let autoRenews: Bool
    /// `recentSubscriptionStartDate` on the wire: when the current run without a long gap began.
    package let recentStart: Timestamp
    /// The end of the latest period, past or future.
    package let renewalDate: Timestamp
    /// The price of the next period; nil when it will not renew, and for a family member's copy.
    package let renewalPrice: Money?
    /// Nil while active.
    package let expirationIntent: ExpirationIntent?
    /// Nil while active.
    package let isInBillingRetry: Bool?
    /// `gracePeriodExpiresDate` on the wire; in the past once only the retries continue.
    package let graceUntil: Timestamp?
    /// `priceIncreaseStatus` on the wire: 0 without an answer, 1 accepted or notified; nil when there is no increase.
    package let priceIncreaseStatus: Int?
    /// The offer of the next period.
    package let offer: AppliedOffer?
    /// Win-back offers that the customer is eligible for, in the catalog's order; an empty list is left out on the
    /// wire.
    package let winBackOffers: [String]
    /// The token of future renewals, lower-case UUID text; nil when none was set.
    package let appAccountToken: String?
    /// `renewalBillingPlanType` on the wire; only for products with several billing plans.
    package let billingPlan: BillingPlan.Kind?
    /// `commitmentInfo` on the wire; only while a commitment runs.
    package let commitment: RenewalCommitment?

    /// The renewal info of a subscription.
    ///
    /// - Parameters:
    ///   - account: the account that holds the subscription.
    ///   - now: when eligibility for win-back offers is decided.
    ///   - catalog: has the price of the next period and the win-back offers.
    ///   - policy: decides how win-back offers are judged.
    package init(
        of subscription: some HeldSubscription,
        held account: Account,
        at now: Timestamp,
        catalog: Catalog,
        policy: Policy
    ) {
        let (state, preference) = (subscription.state, subscription.preference)
        let bought = subscription.bought
        // A transaction is a large value: copy it only once.
        let latest = subscription.latestTransaction
        let isBound = latest.isBound
        originalID = subscription.originalID
        self.account = account.id
        productID = latest.productID
        autoRenewProductID = isBound ? productID : preference.productID
        autoRenews = preference.autoRenews
        recentStart = subscription.recentStart
        renewalDate = subscription.renewalDate
        appAccountToken = bought?.appAccountToken
        expirationIntent = state.expirationIntent
        isInBillingRetry = state.isInBillingRetry
        graceUntil = state.graceDate(keepingPast: policy.keepsGraceDate)
        priceIncreaseStatus = bought?.expectedPriceIncrease.flatMap { increase in
            switch increase.stage {
            case .scheduled: nil
            case .pending: 0
            case .accepted: 1
            }
        }
        offer = isBound ? nil : bought?.pendingOffers.first.map { AppliedOffer($0.offer) }
        renewalPrice =
            preference.autoRenews ? bought?.terms(in: catalog, from: subscription.renewalDate)?.price : nil
        billingPlan = subscription.nextBillingPlan(in: catalog)
        commitment = RenewalCommitment(of: subscription, in: catalog)
        let product = catalog.products[latest.productID]
        winBackOffers = (product?.offers ?? []).compactMap { offer in
            guard
                offer.kind == .winBack, let id = offer.id,
                policy.allows(winBack: offer, for: subscription, of: account, at: now)
            else { return nil }
            return id
        }
    }
}

/// What follows the current commitment: `commitmentInfo` of renewal info.
package struct RenewalCommitment: Equatable, Sendable {
    /// `commitmentAutoRenewProductId`.
    package let productID: String
    /// `commitmentAutoRenewStatus`, as 1 or 0.
    package let autoRenews: Bool
    /// `commitmentRenewalBillingPlanType`.
    package let billingPlan: BillingPlan.Kind
    /// `commitmentRenewalDate`: the end of the current commitment.
    package let renewalDate: Timestamp
    /// `commitmentRenewalPrice`: the total of the next one; nil when none follows.
    package let price: Money?

    /// Nil without a current commitment.
    init?(of subscription: some HeldSubscription, in catalog: Catalog) {
        let latest = subscription.latestTransaction
        guard let running = latest.commitment else { return nil }
        let preference = subscription.preference
        productID = preference.productID
        autoRenews = subscription.willRenew
        let product = catalog.products[preference.productID]
        let stays = preference.productID == latest.productID && product?.plan?.monthly != nil
        billingPlan = preference.billingPlan ?? (stays ? .monthly : .billedUpfront)
        renewalDate = running.expiresDate
        let isMonthly = billingPlan == .monthly
        price =
            subscription.willRenew
            ? subscription.bought.flatMap { $0.priceOfNextCommitment(product, isMonthly: isMonthly, in: catalog) } : nil
    }
}

extension Subscription {
    /// The total of the next commitment, or the price of a year paid up front.
    fileprivate func priceOfNextCommitment(_ product: Product?, isMonthly: Bool, in catalog: Catalog) -> Money? {
        guard let product else { return nil }
        let (storefront, agreed) = (latestTransaction.storefront, agreedPrice?.currency)
        guard isMonthly else { return catalog.price(product.prices, in: storefront, agreed: agreed) }
        return product.plan.map { catalog.commitmentPrice(of: $0, in: storefront, agreed: agreed) }
    }
}

extension SubscriptionState {
    /// `expirationIntent` on the wire: nil while active and once revoked.
    fileprivate var expirationIntent: ExpirationIntent? {
        switch self {
        case .active, .revoked: nil
        case .gracePeriod, .billingRetry: .billing
        case .expired(_, let reason, _): reason.intent
        }
    }

    /// `isInBillingRetryPeriod` on the wire: nil while active and once revoked.
    fileprivate var isInBillingRetry: Bool? {
        switch self {
        case .active, .revoked: nil
        case .gracePeriod, .billingRetry: true
        case .expired: false
        }
    }

    /// `gracePeriodExpiresDate` on the wire.
    ///
    /// - Parameter keepingPast: whether the date is kept after the grace period, until the next payment.
    fileprivate func graceDate(keepingPast: Bool) -> Timestamp? {
        switch self {
        case .gracePeriod(_, let until, _): until
        case .billingRetry(_, _, let ended), .expired(_, .billing(let ended), _): keepingPast ? ended : nil
        case .active, .expired, .revoked: nil
        }
    }
}
