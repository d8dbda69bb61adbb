import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Describes a subscription: with the keys of signed renewal info, and with a summary in sentences.
extension ControlAPI {
    /// The state of a subscription at the time on the customer's clock (`Shop.instantOfState`).
    func info(of subscription: some HeldSubscription, _ account: Account) -> SubscriptionInfo {
        let now = shop.instantOfState(of: account, family: [])
        let info = RenewalInfo(
            of: subscription,
            held: account,
            at: now,
            catalog: shop.registry.catalog(of: account.app),
            policy: shop.registry.policy(of: account.scope)
        )
        let status = subscription.status
        let bought = subscription.bought
        let latest = subscription.latestTransaction
        return SubscriptionInfo(
            subscriptionGroupIdentifier: subscription.groupID,
            originalTransactionId: subscription.shownOriginalID,
            transactionId: latest.shownID,
            productId: latest.productID,
            inAppOwnershipType: subscription.ownership,
            status: status,
            summary: Self.summary(of: subscription, info, status),
            expiresDate: subscription.renewalDate,
            autoRenewStatus: info.autoRenews ? 1 : 0,
            autoRenewProductId: info.autoRenewProductID,
            renewalPrice: info.renewalPrice?.milliunits,
            currency: info.renewalPrice?.currency,
            offerIdentifier: info.offer?.id,
            renewalBillingPlanType: info.billingPlan,
            expirationIntent: info.expirationIntent,
            gracePeriodExpiresDate: info.graceUntil,
            billingRetryUntil: status == .expired ? nil : subscription.state.failedPayment?.retryUntil,
            priceIncrease: bought?.priceIncrease.map(PriceIncreaseInfo.init),
            commitment: latest.commitment.map {
                CommitmentInfo($0, renews: subscription.preference.commitmentRenews)
            },
            eligibleWinBackOfferIds: info.winBackOffers.isEmpty ? nil : info.winBackOffers,
            isShared: bought?.isShared ?? true,
            availableActions: availableActions(of: account).actions(on: subscription)
        )
    }

    // MARK: The summary

    private static func summary(
        of subscription: some HeldSubscription,
        _ info: RenewalInfo,
        _ status: SubscriptionStatus
    ) -> String {
        let sentences = [
            standing(of: subscription, info, status),
            subscription.ownership == .familyShared && status != .revoked ? "A family member shares it." : nil,
            status == .active ? next(after: subscription, info) : nil,
            subscription.latestTransaction.commitment.map { commitment in
                let renews = subscription.preference.commitmentRenews
                let follows = renews ? "another year follows" : "no other year follows"
                return "Month \(commitment.period) of \(commitment.periods), committed until "
                    + "\(commitment.expiresDate.iso8601); \(follows)."
            },
            status == .active && info.autoRenews ? subscription.bought?.expectedPriceIncrease.map(words) : nil,
        ]
        return sentences.compactMap(\.self).joined(separator: " ")
    }

    private static func standing(
        of subscription: some HeldSubscription,
        _ info: RenewalInfo,
        _ status: SubscriptionStatus
    ) -> String {
        let end = subscription.renewalDate.iso8601
        let last = subscription.state.failedPayment.map { " It is tried until \($0.retryUntil.iso8601)." } ?? ""
        switch status {
        case .active: return "Active until \(end)."
        case .gracePeriod:
            let grace = info.graceUntil.map { " until \($0.iso8601)" } ?? ""
            return "Grace period, access goes on\(grace): the payment that was due at \(end) failed.\(last)"
        case .billingRetry: return "Billing retry, no access: the payment that was due at \(end) failed.\(last)"
        case .expired: return "Expired at \(end)\(reason(of: info.expirationIntent))."
        case .revoked:
            guard let revocation = subscription.latestTransaction.revocation else { return "Revoked." }
            let cause = revocation.kind == .familyRevoke ? "it is no longer shared" : "it was refunded"
            return "Revoked at \(revocation.date.iso8601): \(cause)."
        }
    }

    private static func reason(of intent: ExpirationIntent?) -> String {
        switch intent {
        case .customer: ": the customer turned renewal off"
        case .billing: ": it could not be charged"
        case .priceIncrease: ": the customer did not agree to a higher price"
        case .productUnavailable: ": the product was not for sale"
        case .other, nil: ""
        }
    }

    private static func next(after subscription: some HeldSubscription, _ info: RenewalInfo) -> String {
        guard info.autoRenews else { return "It does not renew." }
        let product = info.autoRenewProductID == info.productID ? "" : " as \(info.autoRenewProductID)"
        let price = info.renewalPrice.map { " for \($0.words)" } ?? ""
        let offer = info.offer.map { " with the \($0.kind.words) offer\($0.id.map { " \($0)" } ?? "")" } ?? ""
        return "It renews then\(product)\(price)\(offer)."
    }

    private static func words(_ increase: PriceIncrease) -> String {
        let start = increase.effectiveFrom.map { " from \($0.iso8601)" } ?? ""
        return switch increase.stage {
        case .scheduled: "The price rises to \(increase.price.words); the customer has not been notified yet."
        case .pending:
            "A price of \(increase.price.words)\(start) waits for the customer's consent; without it the subscription "
                + "expires."
        case .accepted: "The price will be \(increase.price.words)\(start)."
        }
    }
}

extension PriceIncreaseInfo {
    init(_ increase: PriceIncrease) {
        self.init(
            price: increase.price.milliunits,
            currency: increase.price.currency,
            needsConsent: increase.needsConsent,
            stage: increase.stage,
            effectiveDate: increase.effectiveFrom
        )
    }
}

extension CommitmentInfo {
    init(_ commitment: Commitment, renews: Bool) {
        self.init(
            period: commitment.period,
            periods: commitment.periods,
            expiresDate: commitment.expiresDate,
            renews: renews
        )
    }
}
