import TillCore
import TillTestSupport

/// Conditions that every notification in every scenario must satisfy, according to the tables of fields in docs/api.
enum Laws {
    /// The conditions that a notification violates; empty if it satisfies all of them.
    static func violations(by received: ReceivedNotification) -> [String] {
        guard let info = received.renewalInfo, let status = received.status else {
            let isSubscription = received.transaction.type == "Auto-Renewable Subscription"
            return isSubscription ? ["a notification of a subscription has a status and renewal info"] : []
        }
        var violations: [String] = []
        func law(_ holds: Bool, _ words: String) { if !holds { violations.append(words) } }
        states(status, info, law)
        kinds(received, status, info, law)
        prices(received, info, law)
        let row = received.transaction
        law(row.originalTransactionId == info.originalTransactionId, "both name the same original transaction")
        law(row.purchaseDate.milliseconds % 1_000 == 0, "dates of purchase are whole seconds")
        law((row.expiresDate?.milliseconds ?? 0) % 1_000 == 0, "dates of expiry are whole seconds")
        law(row.webOrderLineItemId != nil && row.expiresDate != nil, "a subscription has a line item and an expiry")
        law((row.revocationDate == nil) == (row.revocationType == nil), "revocation keys are all present or all absent")
        if row.inAppOwnershipType == "FAMILY_SHARED" {
            law(row.price == nil && row.appAccountToken == nil, "a shared transaction has no price and no token")
        }
        return violations
    }

    private typealias Law = (Bool, String) -> Void

    private static func states(_ status: Int, _ info: ReceivedRenewalInfo, _ law: Law) {
        let (intent, retry) = (info.expirationIntent, info.isInBillingRetryPeriod)
        switch status {
        case 1:
            law(intent == nil, "expirationIntent is absent while active")
            law(retry == nil, "isInBillingRetryPeriod is absent while active")
            law(info.gracePeriodExpiresDate == nil, "gracePeriodExpiresDate is absent while active")
        case 2:
            law(intent != nil && retry == false, "an expired subscription has an intent and is not retried")
            law(info.autoRenewStatus == 0, "an expired subscription does not renew")
            law(intent == 2 || info.gracePeriodExpiresDate == nil, "only a failed payment has a grace date")
        case 3, 4:
            law(intent == 2 && retry == true, "in grace and retry the intent is 2 and the retry is true")
            if status == 4 { law(info.gracePeriodExpiresDate != nil, "grace has an end") }
        case 5:
            law(intent == nil && retry == nil, "a revoked subscription has no intent")
        default:
            law(false, "status is 1 to 5")
        }
        if status != 2 { law(info.eligibleWinBackOfferIds == nil, "only a lapsed customer has win-back offers") }
    }

    private static func kinds(_ received: ReceivedNotification, _ status: Int, _ info: ReceivedRenewalInfo, _ law: Law)
    {
        let row = received.transaction
        switch received.words {
        case "SUBSCRIBED INITIAL_BUY":
            law(row.transactionId == row.originalTransactionId, "a first purchase is its own original")
            law(row.transactionReason == "PURCHASE" && status == 1, "a purchase has the reason PURCHASE and status 1")
        case "SUBSCRIBED RESUBSCRIBE", "DID_CHANGE_RENEWAL_PREF UPGRADE", "OFFER_REDEEMED UPGRADE":
            law(row.transactionId != row.originalTransactionId, "the original is the first purchase")
            law(row.transactionReason == "PURCHASE" && status == 1, "the reason is PURCHASE and the status 1")
            law(info.autoRenewStatus == 1 && info.productId == row.productId, "it renews with the purchased product")
        case "DID_RENEW", "DID_RENEW BILLING_RECOVERY":
            law(row.transactionReason == "RENEWAL" && status == 1, "the reason is RENEWAL and the status 1")
            law(info.productId == row.productId, "the renewal is the latest period")
        case "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED":
            let bound = info.commitmentInfo?.commitmentAutoRenewStatus == 0
            law(info.autoRenewStatus == 0 || bound, "it does not renew")
        case "DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED": law(info.autoRenewStatus == 1, "it renews")
        case "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED":
            law(status == 3 && info.autoRenewStatus == 1, "the status is 3 and auto-renewal is on")
        case "DID_FAIL_TO_RENEW GRACE_PERIOD": law(status == 4 && info.autoRenewStatus == 1, "grace has begun")
        case "EXPIRED VOLUNTARY": law(info.expirationIntent == 1 && status == 2, "the intent is 1 and the status 2")
        case "EXPIRED BILLING_RETRY": law(info.expirationIntent == 2 && status == 2, "the intent is 2 and the status 2")
        case "EXPIRED PRICE_INCREASE":
            law(info.expirationIntent == 3 && info.priceIncreaseStatus == 0, "consent is missing")
        case "EXPIRED PRODUCT_NOT_FOR_SALE": law(info.expirationIntent == 4, "the product is not for sale")
        case "PRICE_INCREASE PENDING": law(info.priceIncreaseStatus == 0, "no answer yet")
        case "PRICE_INCREASE ACCEPTED": law(info.priceIncreaseStatus == 1, "consent was given or not needed")
        case "REFUND": law(row.revocationDate != nil, "the refunded transaction says so")
        case "REVOKE": law(row.revocationType == "FAMILY_REVOKE" && status == 5, "the member's access is revoked")
        case "REFUND_DECLINED", "REFUND_REVERSED", "CONSUMPTION_REQUEST":
            law(row.revocationDate == nil, "nothing is revoked")
        default: break
        }
    }

    private static func prices(_ received: ReceivedNotification, _ info: ReceivedRenewalInfo, _ law: Law) {
        law((info.renewalPrice == nil) == (info.currency == nil), "a price has a currency")
        if received.transaction.inAppOwnershipType == "FAMILY_SHARED" {
            law(info.renewalPrice == nil, "a member pays nothing")
        } else {
            law(
                (info.renewalPrice != nil) == (info.autoRenewStatus == 1),
                "there is a renewal price exactly while it renews"
            )
        }
    }
}
