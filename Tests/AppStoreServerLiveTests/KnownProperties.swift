@testable import AppStoreServer

/// An object of the App Store whose properties are listed, so that a test can compare each with its key.
protocol KnownObject: AppStoreObject {
    /// The section of docs/operating/payload-profiles.md with the keys of the object.
    static var section: String { get }
    /// A property for each key.
    static var properties: [String: @Sendable (Self) -> Any?] { get }
}

extension TransactionPayload: KnownObject {
    static let section = "transaction"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "transactionId": { $0.transactionId }, "originalTransactionId": { $0.originalTransactionId },
        "webOrderLineItemId": { $0.webOrderLineItemId }, "bundleId": { $0.bundleId }, "productId": { $0.productId },
        "subscriptionGroupIdentifier": { $0.subscriptionGroupIdentifier }, "purchaseDate": { $0.purchaseDate },
        "originalPurchaseDate": { $0.originalPurchaseDate }, "expiresDate": { $0.expiresDate },
        "quantity": { $0.quantity }, "type": { $0.type }, "appAccountToken": { $0.appAccountToken },
        "inAppOwnershipType": { $0.inAppOwnershipType }, "signedDate": { $0.signedDate },
        "revocationReason": { $0.revocationReason }, "revocationDate": { $0.revocationDate },
        "isUpgraded": { $0.isUpgraded }, "offerType": { $0.offerType }, "offerIdentifier": { $0.offerIdentifier },
        "environment": { $0.environment }, "transactionReason": { $0.transactionReason },
        "storefront": { $0.storefront }, "storefrontId": { $0.storefrontId }, "price": { $0.price },
        "currency": { $0.currency }, "offerDiscountType": { $0.offerDiscountType },
        "appTransactionId": { $0.appTransactionId }, "offerPeriod": { $0.offerPeriod },
        "revocationType": { $0.revocationType }, "revocationPercentage": { $0.revocationPercentage },
        "billingPlanType": { $0.billingPlanType }, "commitmentInfo": { $0.commitmentInfo },
        "deviceVerification": { $0.deviceVerification }, "deviceVerificationNonce": { $0.deviceVerificationNonce },
    ]
}

extension CommitmentInfo: KnownObject {
    static let section = "transactionCommitment"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "billingPeriodNumber": { $0.billingPeriodNumber }, "totalBillingPeriods": { $0.totalBillingPeriods },
        "commitmentExpiresDate": { $0.commitmentExpiresDate }, "commitmentPrice": { $0.commitmentPrice },
    ]
}

extension RenewalInfoPayload: KnownObject {
    static let section = "renewalInfo"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "expirationIntent": { $0.expirationIntent }, "originalTransactionId": { $0.originalTransactionId },
        "autoRenewProductId": { $0.autoRenewProductId }, "productId": { $0.productId },
        "autoRenewStatus": { $0.autoRenewStatus }, "renewalPrice": { $0.renewalPrice }, "currency": { $0.currency },
        "isInBillingRetryPeriod": { $0.isInBillingRetryPeriod },
        "gracePeriodExpiresDate": { $0.gracePeriodExpiresDate }, "priceIncreaseStatus": { $0.priceIncreaseStatus },
        "signedDate": { $0.signedDate }, "environment": { $0.environment },
        "recentSubscriptionStartDate": { $0.recentSubscriptionStartDate }, "renewalDate": { $0.renewalDate },
        "offerType": { $0.offerType }, "offerIdentifier": { $0.offerIdentifier },
        "offerDiscountType": { $0.offerDiscountType }, "offerPeriod": { $0.offerPeriod },
        "eligibleWinBackOfferIds": { $0.eligibleWinBackOfferIds }, "appAccountToken": { $0.appAccountToken },
        "appTransactionId": { $0.appTransactionId }, "renewalBillingPlanType": { $0.renewalBillingPlanType },
        "commitmentInfo": { $0.commitmentInfo },
    ]
}

extension RenewalCommitmentInfo: KnownObject {
    static let section = "renewalCommitment"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "commitmentAutoRenewProductId": { $0.commitmentAutoRenewProductId },
        "commitmentAutoRenewStatus": { $0.commitmentAutoRenewStatus },
        "commitmentRenewalBillingPlanType": { $0.commitmentRenewalBillingPlanType },
        "commitmentRenewalDate": { $0.commitmentRenewalDate }, "commitmentRenewalPrice": { $0.commitmentRenewalPrice },
    ]
}

extension AppTransactionPayload: KnownObject {
    static let section = "appTransaction"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "receiptType": { $0.receiptType }, "appAppleId": { $0.appAppleId }, "bundleId": { $0.bundleId },
        "applicationVersion": { $0.applicationVersion },
        "versionExternalIdentifier": { $0.versionExternalIdentifier },
        "receiptCreationDate": { $0.receiptCreationDate }, "requestDate": { $0.requestDate },
        "originalPurchaseDate": { $0.originalPurchaseDate },
        "originalApplicationVersion": { $0.originalApplicationVersion }, "preorderDate": { $0.preorderDate },
        "deviceVerification": { $0.deviceVerification }, "deviceVerificationNonce": { $0.deviceVerificationNonce },
        "appTransactionId": { $0.appTransactionId }, "originalPlatform": { $0.originalPlatform },
    ]
}

// MARK: Notifications

extension NotificationPayload: KnownObject {
    static let section = "notification"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "notificationType": { $0.notificationType }, "subtype": { $0.subtype },
        "notificationUUID": { $0.notificationUUID }, "data": { $0.data }, "appData": { $0.appData },
        "summary": { $0.summary }, "externalPurchaseToken": { $0.externalPurchaseToken }, "version": { $0.version },
        "signedDate": { $0.signedDate },
    ]
}

extension NotificationData: KnownObject {
    static let section = "notificationData"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "appAppleId": { $0.appAppleId }, "bundleId": { $0.bundleId }, "bundleVersion": { $0.bundleVersion },
        "environment": { $0.environment }, "signedTransactionInfo": { $0.signedTransactionInfo },
        "signedRenewalInfo": { $0.signedRenewalInfo }, "status": { $0.status },
        "consumptionRequestReason": { $0.consumptionRequestReason },
    ]
}

extension NotificationAppData: KnownObject {
    static let section = "notificationAppData"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "appAppleId": { $0.appAppleId }, "bundleId": { $0.bundleId }, "environment": { $0.environment },
        "signedAppTransactionInfo": { $0.signedAppTransactionInfo },
    ]
}

extension NotificationSummary: KnownObject {
    static let section = "notificationSummary"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "requestIdentifier": { $0.requestIdentifier }, "environment": { $0.environment },
        "appAppleId": { $0.appAppleId }, "bundleId": { $0.bundleId }, "productId": { $0.productId },
        "storefrontCountryCodes": { $0.storefrontCountryCodes }, "succeededCount": { $0.succeededCount },
        "failedCount": { $0.failedCount },
    ]
}

extension ExternalPurchaseToken: KnownObject {
    static let section = "externalPurchaseToken"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "externalPurchaseId": { $0.externalPurchaseId }, "tokenCreationDate": { $0.tokenCreationDate },
        "appAppleId": { $0.appAppleId }, "bundleId": { $0.bundleId }, "tokenType": { $0.tokenType },
        "tokenExpirationDate": { $0.tokenExpirationDate },
    ]
}
