import TillCore

/// An element of `pending_renewal_info`: a subscription as it stands, every value a text (docs/api/verify-receipt.md).
enum PendingRenewalInfo {
    /// Nil where Apple drops the element: a customer who cancels in the grace period pauses the attempts at charging.
    static func bytes(_ subscription: some HeldSubscription, _ info: RenewalInfo) -> [UInt8]? {
        if case .expired(_, .customer(leftInGrace: true), _) = subscription.state { return nil }
        var json = PayloadWriter(capacity: 512)
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

    /// 0 while the customer has not answered, 1 after consent; nil where nobody was asked.
    private static func consent(_ subscription: some HeldSubscription, _ info: RenewalInfo) -> Int? {
        subscription.bought?.priceIncrease?.needsConsent == true ? info.priceIncreaseStatus : nil
    }
}
