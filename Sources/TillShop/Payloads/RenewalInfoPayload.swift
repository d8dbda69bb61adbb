import TillCore
import TillJSON

/// Writes a JWSRenewalInfoDecodedPayload (docs/api/payloads.md).
enum RenewalInfoPayload {
    static func bytes(_ info: RenewalInfo, environment: StoreEnvironment, signedDate: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        json.put("expirationIntent", info.expirationIntent?.rawValue)
        json.put("originalTransactionId", info.shownOriginalID)
        json.put("autoRenewProductId", info.autoRenewProductID)
        json.put("productId", info.productID)
        json.put("autoRenewStatus", info.autoRenews ? 1 : 0)
        json.put("renewalPrice", info.renewalPrice?.milliunits)
        json.put("currency", info.renewalPrice?.currency)
        json.put("isInBillingRetryPeriod", info.isInBillingRetry)
        json.put("gracePeriodExpiresDate", info.graceUntil)
        json.put("priceIncreaseStatus", info.priceIncreaseStatus)
        json.put("signedDate", signedDate)
        json.put("environment", environment.wireName)
        json.put("recentSubscriptionStartDate", info.recentStart)
        json.put("renewalDate", info.renewalDate)
        json.put("offerType", info.offer?.kind.rawValue)
        json.put("offerIdentifier", info.offer?.id)
        json.put("offerDiscountType", info.offer?.mode.rawValue)
        json.put("offerPeriod", info.offer?.wholePeriod?.iso8601)
        if !info.winBackOffers.isEmpty { json.put("eligibleWinBackOfferIds", info.winBackOffers) }
        json.put("appAccountToken", info.appAccountToken)
        json.put("appTransactionId", info.shownAccountID)
        json.put("renewalBillingPlanType", info.billingPlan?.rawValue)
        json.put("commitmentInfo", written: info.commitment.map { bytes($0) })
        return json.finish()
    }

    private static func bytes(_ commitment: RenewalCommitment) -> [UInt8] {
        var json = JSONWriter()
        json.put("commitmentAutoRenewProductId", commitment.productID)
        json.put("commitmentAutoRenewStatus", commitment.autoRenews ? 1 : 0)
        json.put("commitmentRenewalBillingPlanType", commitment.billingPlan.rawValue)
        json.put("commitmentRenewalDate", commitment.renewalDate)
        json.put("commitmentRenewalPrice", commitment.price?.milliunits)
        return json.finish()
    }
}
