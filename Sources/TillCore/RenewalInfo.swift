/// What signed renewal info says of a subscription at an instant (docs/api/payloads.md).
package struct RenewalInfo: Equatable, Sendable {
    /// `originalTransactionId`, by which a client matches it with transactions.
    package var originalID: TransactionID
    package let account: AccountID
    /// The product of the latest period.
    package let productID: String
    /// The product of the next period.
    package let autoRenewProductID: String
    /// `autoRenewStatus` on the wire, as 1 or 0.
    package let autoRenews: Bool
    /// `recentSubscriptionStartDate` on the wire: the start of the run without a long gap.
    package let recentStart: Timestamp
    /// The end of the latest period, past or to come.
    package let renewalDate: Timestamp
    /// What the next period will cost; nil when it will not renew, and for a family member's copy.
    package let renewalPrice: Money?
    /// Nil while active.
    package let expirationIntent: ExpirationIntent?
    /// Nil while active.
    package let isInBillingRetry: Bool?
    /// `gracePeriodExpiresDate` on the wire; past once only the retries go on.
    package let graceUntil: Timestamp?
    /// `priceIncreaseStatus` on the wire: 0 without an answer, 1 accepted or told; nil while no increase applies.
    package let priceIncreaseStatus: Int?
    /// The offer that the next period carries.
    package let offer: AppliedOffer?
    /// Win-back offers that a lapsed customer may take, in the catalogue's order; empty is left out on the wire.
    package let winBackOffers: [String]
    /// The token of coming renewals, lower-case UUID text; nil when none was given or set.
    package let appAccountToken: String?
    /// `renewalBillingPlanType` on the wire; only for products that leave a choice.
    package let billingPlan: BillingPlan.Kind?
    /// `commitmentInfo` on the wire; only while a commitment runs.
    package let commitment: RenewalCommitment?

    /// Reads a subscription as it stands at an instant.
    ///
    /// - Parameters:
    ///   - account: the account that holds the subscription.
    ///   - catalog: gives the price of the next period and the win-back offers.
    ///   - policy: says how the realm judges win-back offers.
    package init(
        of subscription: Subscription,
        held account: Account,
        at now: Timestamp,
        catalog: Catalog,
        policy: Policy
    ) {
        let status = subscription.status(at: now)
        let terms = subscription.terms(in: catalog, from: subscription.renewalDate)
        let isBound = subscription.isBound
        originalID = subscription.originalID
        self.account = account.id
        productID = subscription.latestTransaction.productID
        autoRenewProductID = isBound ? subscription.latestTransaction.productID : subscription.nextProductID
        autoRenews = subscription.autoRenews
        recentStart = subscription.recentStart
        renewalDate = subscription.renewalDate
        appAccountToken = subscription.appAccountToken
        let isWaiting = status == .billingRetry || status == .gracePeriod
        // A period that ended and has not been looked at yet ended for a reason that is not known.
        let ended = status == .expired ? subscription.ended ?? (subscription.autoRenews ? .other : .customer) : nil
        expirationIntent = isWaiting ? .billing : ended
        isInBillingRetry = isWaiting ? true : status == .expired ? false : nil
        let graceDate = subscription.trouble?.graceUntil
        graceUntil = status == .gracePeriod || (policy.keepsGraceDate && status != .revoked) ? graceDate : nil
        priceIncreaseStatus = subscription.expectedPriceIncrease.flatMap { increase in
            switch increase.stage {
            case .scheduled: nil
            case .pending: 0
            case .accepted: 1
            }
        }
        offer = isBound ? nil : subscription.pendingOffers.first.map { AppliedOffer($0.offer) }
        renewalPrice = subscription.autoRenews && subscription.ownership == .purchased ? terms?.price : nil
        billingPlan = terms?.billingPlan
        commitment = RenewalCommitment(of: subscription, in: catalog)
        let product = catalog.products[subscription.latestTransaction.productID]
        winBackOffers = (product?.offers ?? []).compactMap { offer in
            guard
                offer.kind == .winBack, let id = offer.id,
                policy.allows(winBack: offer, for: subscription, of: account, at: now)
            else { return nil }
            return id
        }
    }
}

/// What follows a running commitment: `commitmentInfo` of renewal info.
package struct RenewalCommitment: Equatable, Sendable {
    /// `commitmentAutoRenewProductId`.
    package let productID: String
    /// `commitmentAutoRenewStatus`, as 1 or 0.
    package let autoRenews: Bool
    /// `commitmentRenewalBillingPlanType`.
    package let billingPlan: BillingPlan.Kind
    /// `commitmentRenewalDate`: the end of the running commitment.
    package let renewalDate: Timestamp
    /// `commitmentRenewalPrice`: all payments of the next one; nil when none follows.
    package let price: Money?

    /// Nil where no commitment runs.
    init?(of subscription: Subscription, in catalog: Catalog) {
        guard let running = subscription.latestTransaction.commitment else { return nil }
        productID = subscription.nextProductID
        autoRenews = subscription.willRenew
        let plan = catalog.products[subscription.nextProductID]?.plan
        let stays = subscription.nextProductID == subscription.latestTransaction.productID && plan?.monthly != nil
        billingPlan = subscription.nextBillingPlan ?? (stays ? .monthly : .billedUpfront)
        renewalDate = running.expiresDate
        let storefront = subscription.latestTransaction.storefront
        let agreed = subscription.agreedPrice?.currency
        price =
            !subscription.willRenew
            ? nil
            : billingPlan == .monthly
                ? plan.map { catalog.commitmentPrice(of: $0, in: storefront, agreed: agreed) }
                : catalog.products[subscription.nextProductID].map {
                    catalog.price($0.prices, in: storefront, agreed: agreed)
                }
    }
}
