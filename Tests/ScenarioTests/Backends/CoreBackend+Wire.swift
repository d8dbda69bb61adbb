import TillCore
import TillTestSupport

extension CoreBackend: WireBackend {
    func received() -> [ReceivedNotification] {
        core.notifications.map { notification in
            ReceivedNotification(
                signedDate: notification.signedDate,
                customer: core.customer(notification.account) ?? "unknown",
                type: notification.type.rawValue,
                subtype: notification.subtype?.rawValue,
                status: notification.status?.rawValue,
                consumptionRequestReason: notification.consumptionRequestReason?.rawValue,
                transaction: ReceivedTransaction(notification.transaction),
                renewalInfo: notification.renewalInfo.map(ReceivedRenewalInfo.init)
            )
        }
    }

    func history(of customer: String) -> [ReceivedTransaction] { core.history(customer).map(ReceivedTransaction.init) }

    func subscriptions(of customer: String) -> [ReceivedSubscription] {
        guard let account = core.accounts[customer] else { return [] }
        return account.heldSubscriptions.sorted { $0.originalID < $1.originalID }.map { subscription in
            let info = RenewalInfo(
                of: subscription,
                held: account,
                at: core.now,
                catalog: core.catalog,
                policy: core.policy
            )
            return ReceivedSubscription(
                status: subscription.status.rawValue,
                transaction: ReceivedTransaction(subscription.latestTransaction),
                renewalInfo: ReceivedRenewalInfo(info)
            )
        }
    }
}

extension ReceivedTransaction {
    init(_ row: Transaction) {
        self.init(
            transactionId: row.id.wireForm,
            originalTransactionId: row.originalID.wireForm,
            webOrderLineItemId: row.lineItem.map(String.init),
            productId: row.productID,
            purchaseDate: row.purchaseDate,
            originalPurchaseDate: row.originalPurchaseDate,
            expiresDate: row.expiresDate,
            quantity: row.quantity,
            type: row.type.wireName,
            appAccountToken: row.appAccountToken,
            inAppOwnershipType: row.ownership.rawValue,
            transactionReason: row.reason.rawValue,
            price: row.price?.milliunits,
            currency: row.price?.currency,
            offerType: row.offer?.kind.rawValue,
            offerIdentifier: row.offer?.id,
            offerDiscountType: row.offer?.mode.rawValue,
            offerPeriod: row.offer?.wholePeriod?.iso8601,
            isUpgraded: row.isUpgraded ? true : nil,
            revocationDate: row.revocation?.date,
            revocationReason: row.revocation?.reason.rawValue,
            revocationType: row.revocation?.kind.rawValue,
            revocationPercentage: row.revocation?.percentage,
            billingPlanType: row.billingPlan?.rawValue,
            commitmentInfo: row.commitment.map {
                ReceivedCommitment(
                    billingPeriodNumber: $0.period,
                    totalBillingPeriods: $0.periods,
                    commitmentExpiresDate: $0.expiresDate,
                    commitmentPrice: row.ownership == .purchased ? $0.price.milliunits : nil
                )
            }
        )
    }
}

extension ReceivedRenewalInfo {
    init(_ info: RenewalInfo) {
        self.init(
            originalTransactionId: info.originalID.wireForm,
            productId: info.productID,
            autoRenewProductId: info.autoRenewProductID,
            autoRenewStatus: info.autoRenews ? 1 : 0,
            renewalPrice: info.renewalPrice?.milliunits,
            currency: info.renewalPrice?.currency,
            expirationIntent: info.expirationIntent?.rawValue,
            isInBillingRetryPeriod: info.isInBillingRetry,
            gracePeriodExpiresDate: info.graceUntil,
            priceIncreaseStatus: info.priceIncreaseStatus,
            offerType: info.offer?.kind.rawValue,
            offerIdentifier: info.offer?.id,
            offerDiscountType: info.offer?.mode.rawValue,
            offerPeriod: info.offer?.wholePeriod?.iso8601,
            recentSubscriptionStartDate: info.recentStart,
            renewalDate: info.renewalDate,
            eligibleWinBackOfferIds: info.winBackOffers.isEmpty ? nil : info.winBackOffers,
            appAccountToken: info.appAccountToken,
            renewalBillingPlanType: info.billingPlan?.rawValue,
            commitmentInfo: info.commitment.map {
                ReceivedRenewalCommitment(
                    commitmentAutoRenewProductId: $0.productID,
                    commitmentAutoRenewStatus: $0.autoRenews ? 1 : 0,
                    commitmentRenewalBillingPlanType: $0.billingPlan.rawValue,
                    commitmentRenewalDate: $0.renewalDate,
                    commitmentRenewalPrice: $0.price?.milliunits
                )
            }
        )
    }
}
