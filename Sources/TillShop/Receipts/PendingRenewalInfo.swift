import TillCore
import TillJSON

/// An element of `pending_renewal_info`: the state of a subscription, with every value as text
/// (docs/api/receipts/verify-receipt.md).
enum PendingRenewalInfo {
    /// Nil where Apple omits the element: a customer who cancels in the grace period ends the attempts to charge.
    static func bytes(_ subscription: some HeldSubscription, _ info: RenewalInfo) -> [UInt8]? {
        if case .expired(_, .customer(leftInGrace: true), _) = subscription.state { return nil }
        var json = JSONWriter(capacity: 512)
        json.put("expiration_intent", asText: info.expirationIntent?.rawValue)
        json.put("auto_renew_product_id", info.autoRenewProductID)
        json.put("is_in_billing_retry_period", asDigit: info.isInBillingRetry)
        json.put("product_id", info.productID)
        json.put("original_transaction_id", info.originalID.wireForm)
        json.put("auto_renew_status", asDigit: info.autoRenews)
        json.put(.gracePeriodExpires, info.graceUntil)
        json.put("price_consent_status", asText: consent(subscription, info))
        json.put("price_increase_status", asText: info.priceIncreaseStatus)
        json.put("promotional_offer_id", info.offer?.kind == .promotional ? info.offer?.id : nil)
        json.put("offer_code_ref_name", info.offer?.kind == .code ? info.offer?.id : nil)
        return json.finish()
    }

    /// 0 until the customer answers, 1 after consent; nil if no consent is needed.
    private static func consent(_ subscription: some HeldSubscription, _ info: RenewalInfo) -> Int? {
        subscription.bought?.priceIncrease?.needsConsent == true ? info.priceIncreaseStatus : nil
    }
}
