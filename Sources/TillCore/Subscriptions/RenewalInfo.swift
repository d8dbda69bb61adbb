/// The content of the signed renewal info of a subscription at one instant (docs/api/payloads.md).
package struct RenewalInfo: Equatable, Sendable {
    /// `originalTransactionId`, which connects the renewal info with its transactions.
    package var originalID: TransactionID
    package let account: AccountID
    /// The ids of another server, of which `original` and `account` are shown; nil unless the customer was imported.
    package let foreign: ForeignIDs?
    /// The product of the latest transaction.
    package let productID: String
    /// The product of the next period.
    package let autoRenewProductID: String
    /// `autoRenewStatus` in the payload, as 1 or 0.
    package let autoRenews: Bool
    /// `recentSubscriptionStartDate` in the payload: the beginning of the service that has had no long gap since.
    package let recentStart: Timestamp
    /// The end of the latest period, in the past or in the future.
    package let renewalDate: Timestamp
    /// The price of the next period; nil if the subscription will not renew, and for a family member's copy.
    package let renewalPrice: Money?
    /// Nil while the subscription is active.
    package let expirationIntent: ExpirationIntent?
    /// Nil while the subscription is active.
    package let isInBillingRetry: Bool?
    /// `gracePeriodExpiresDate` in the payload. The date is in the past if the grace period is over and billing retry
    /// continues.
    package let graceUntil: Timestamp?
    /// `priceIncreaseStatus` in the payload: 0 if the customer has not answered, 1 if the customer agreed or was
    /// notified. Nil if there is no price increase.
    package let priceIncreaseStatus: Int?
    /// The offer that applies to the next period.
    package let offer: AppliedOffer?
    /// The win-back offers that the customer is eligible for, in the order of the catalog. The payload omits an empty
    /// list.
    package let winBackOffers: [String]
    /// The app account token of future renewals, as a lower-case UUID; nil if the app has set none.
    package let appAccountToken: String?
    /// `renewalBillingPlanType` in the payload; nil unless the product has several billing plans.
    package let billingPlan: BillingPlanType?
    /// `commitmentInfo` in the payload; nil without a current commitment.
    package let commitment: RenewalCommitment?

    /// The renewal info of a subscription at the instant `now`.
    ///
    /// - Parameters:
    ///   - account: The account that has the subscription.
    ///   - now: The instant at which eligibility for win-back offers is checked.
    ///   - catalog: The source of the next period's price and of the win-back offers.
    ///   - policy: The settings for the eligibility for win-back offers.
    package init(
        of subscription: some HeldSubscription,
        held account: Account,
        at now: Timestamp,
        catalog: Catalog,
        policy: Policy
    ) {
        let (state, preference) = (subscription.state, subscription.preference)
        let bought = subscription.bought
        // A transaction is a large value, so it is copied only once.
        let latest = subscription.latestTransaction
        let isBound = latest.isBound
        originalID = subscription.originalID
        self.account = account.id
        foreign = latest.foreign
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

extension RenewalInfo {
    /// `originalTransactionId` in payloads and answers.
    package var shownOriginalID: String { foreign?.original ?? originalID.wireForm }
    /// `appTransactionId` in payloads and answers.
    package var shownAccountID: String { foreign?.account ?? account.wireForm }
}

/// The renewal after the current commitment: `commitmentInfo` of renewal info.
package struct RenewalCommitment: Equatable, Sendable {
    /// `commitmentAutoRenewProductId`.
    package let productID: String
    /// `commitmentAutoRenewStatus`, as 1 or 0.
    package let autoRenews: Bool
    /// `commitmentRenewalBillingPlanType`.
    package let billingPlan: BillingPlanType
    /// The end of the current commitment: `commitmentRenewalDate`.
    package let renewalDate: Timestamp
    /// `commitmentRenewalPrice`: the total of the next commitment; nil if no commitment follows.
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
    /// The total of the next commitment, or the price of a year that is billed upfront.
    fileprivate func priceOfNextCommitment(_ product: Product?, isMonthly: Bool, in catalog: Catalog) -> Money? {
        guard let product else { return nil }
        let (storefront, agreed) = (latestTransaction.storefront, agreedPrice?.currency)
        guard isMonthly else { return catalog.price(product.prices, in: storefront, agreed: agreed) }
        return product.plan.map { catalog.commitmentPrice(of: $0, in: storefront, agreed: agreed) }
    }
}

extension SubscriptionState {
    /// `expirationIntent` in the payload; nil while the subscription is active or revoked.
    fileprivate var expirationIntent: ExpirationIntent? {
        switch self {
        case .active, .revoked: nil
        case .gracePeriod, .billingRetry: .billing
        case .expired(_, let reason, _): reason.intent
        }
    }

    /// `isInBillingRetryPeriod` in the payload; nil while the subscription is active or revoked.
    fileprivate var isInBillingRetry: Bool? {
        switch self {
        case .active, .revoked: nil
        case .gracePeriod, .billingRetry: true
        case .expired: false
        }
    }

    /// `gracePeriodExpiresDate` in the payload.
    ///
    /// - Parameter keepingPast: Whether to keep the date after the grace period has ended, until the next payment.
    fileprivate func graceDate(keepingPast: Bool) -> Timestamp? {
        switch self {
        case .gracePeriod(_, let until, _): until
        case .billingRetry(_, _, let ended), .expired(_, .billing(let ended), _): keepingPast ? ended : nil
        case .active, .expired, .revoked: nil
        }
    }
}
