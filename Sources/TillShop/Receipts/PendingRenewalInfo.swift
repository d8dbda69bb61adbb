import TillCore
import TillJSON

/// Writes the state of a subscription as an element of `pending_renewal_info`. Every value is a string
/// (docs/api/receipts/verify-receipt.md).
enum PendingRenewalInfo {
    /// Returns nil if Apple omits the element, because the customer turned off auto-renew during the grace period and
    /// the App Store therefore stopped charging.
    static func bytes(_ subscription: some HeldSubscription, _ info: RenewalInfo) -> [UInt8]? {
        if case .expired(_, .customer(leftInGrace: true), _) = subscription.state { return nil }
        var json = JSONWriter(capacity: 512)
        json.put("expiration_intent", asText: info.expirationIntent?.rawValue)
        json.put("auto_renew_product_id", info.autoRenewProductID)
        json.put("is_in_billing_retry_period", asDigit: info.isInBillingRetry)
        json.put("product_id", info.productID)
        json.put("original_transaction_id", info.shownOriginalID)
        json.put("auto_renew_status", asDigit: info.autoRenews)
        json.put(.gracePeriodExpires, info.graceUntil)
        json.put("price_consent_status", asText: consent(subscription, info))
        json.put("price_increase_status", asText: info.priceIncreaseStatus)
        json.put("promotional_offer_id", info.offer?.kind == .promotional ? info.offer?.id : nil)
        json.put("offer_code_ref_name", info.offer?.kind == .code ? info.offer?.id : nil)
        return json.finish()
    }

    /// The value of `price_consent_status`: 0 until the customer responds to the price increase, 1 after consent; nil
    /// if no consent is needed.
    private static func consent(_ subscription: some HeldSubscription, _ info: RenewalInfo) -> Int? {
        subscription.bought?.priceIncrease?.needsConsent == true ? info.priceIncreaseStatus : nil
    }
}
