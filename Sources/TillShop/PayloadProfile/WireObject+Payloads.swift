/// The keys in signed data, in the order in which Till writes them.
extension WireObject {
    static let transactionKeys: [WireKey] = [
        .always("transactionId"),
        .always("originalTransactionId"),
        .always("webOrderLineItemId"),
        .always("bundleId"),
        .always("productId"),
        .always("subscriptionGroupIdentifier"),
        .always("purchaseDate"),
        .always("originalPurchaseDate"),
        .always("expiresDate"),
        .always("quantity"),
        .always("type", isListed: true),
        .optional("appAccountToken"),
        .always("inAppOwnershipType", isListed: true),
        .always("signedDate"),
        .optional("revocationReason", isListed: true),
        .optional("revocationDate"),
        .optional("isUpgraded"),
        .optional("offerType", isListed: true),
        .optional("offerIdentifier"),
        .always("environment", since: 2),
        .always("transactionReason", since: 8, isListed: true),
        .always("storefront", since: 8),
        .always("storefrontId", since: 8),
        .optional("price", since: 10),
        .optional("currency", since: 10),
        .optional("offerDiscountType", since: 10, isListed: true),
        .always("appTransactionId", since: 15),
        .optional("offerPeriod", since: 15),
        .optional("revocationType", since: 19, isListed: true),
        .optional("revocationPercentage", since: 19),
        .optional("billingPlanType", since: 21, isListed: true),
        .optional("commitmentInfo", since: 21, of: .transactionCommitment),
        .always("deviceVerification"),
        .always("deviceVerificationNonce"),
    ]

    static let transactionCommitmentKeys: [WireKey] = [
        .always("billingPeriodNumber", since: 21),
        .always("totalBillingPeriods", since: 21),
        .always("commitmentExpiresDate", since: 21),
        .optional("commitmentPrice", since: 21),
    ]

    static let renewalInfoKeys: [WireKey] = [
        .optional("expirationIntent", isListed: true),
        .always("originalTransactionId"),
        .always("autoRenewProductId"),
        .always("productId"),
        .always("autoRenewStatus", isListed: true),
        .optional("renewalPrice", since: 12),
        .optional("currency", since: 12),
        .optional("isInBillingRetryPeriod"),
        .optional("gracePeriodExpiresDate"),
        .optional("priceIncreaseStatus", isListed: true),
        .always("signedDate"),
        .always("environment", since: 2),
        .always("recentSubscriptionStartDate", since: 5),
        .always("renewalDate", since: 8),
        .optional("offerType", isListed: true),
        .optional("offerIdentifier"),
        .optional("offerDiscountType", since: 12, isListed: true),
        .optional("offerPeriod", since: 15),
        .optional("eligibleWinBackOfferIds", since: 13),
        .optional("appAccountToken", since: 15),
        .always("appTransactionId", since: 15),
        .optional("renewalBillingPlanType", since: 21, isListed: true),
        .optional("commitmentInfo", since: 21, of: .renewalCommitment),
    ]

    static let renewalCommitmentKeys: [WireKey] = [
        .always("commitmentAutoRenewProductId", since: 21),
        .always("commitmentAutoRenewStatus", since: 21, isListed: true),
        .always("commitmentRenewalBillingPlanType", since: 21, isListed: true),
        .always("commitmentRenewalDate", since: 21),
        .optional("commitmentRenewalPrice", since: 21),
    ]

    /// No key has a version, because all keys are as old as the endpoint that returns app transactions (version 1.17).
    static let appTransactionKeys: [WireKey] = [
        .always("receiptType"),
        .inProduction("appAppleId"),
        .always("bundleId"),
        .always("applicationVersion"),
        .always("versionExternalIdentifier"),
        .always("receiptCreationDate"),
        .always("requestDate"),
        .always("originalPurchaseDate"),
        .always("originalApplicationVersion"),
        .optional("preorderDate"),
        .always("deviceVerification"),
        .always("deviceVerificationNonce"),
        .always("appTransactionId"),
        .always("originalPlatform", isListed: true),
    ]

    // MARK: Notifications

    /// The type and subtype are not listed values, because the stored notification has the same type and subtype.
    static let notificationKeys: [WireKey] = [
        .always("notificationType"),
        .always("subtype"),
        .always("notificationUUID"),
        .always("data", of: .notificationData),
        .always("appData", of: .notificationAppData),
        .always("summary", of: .notificationSummary),
        .always("externalPurchaseToken", of: .externalPurchaseToken),
        .always("version"),
        .always("signedDate"),
    ]

    static let notificationDataKeys: [WireKey] = [
        .inProduction("appAppleId"),
        .always("bundleId"),
        .optional("bundleVersion"),
        .always("environment"),
        .always("signedTransactionInfo"),
        .always("signedRenewalInfo"),
        .always("status", since: 8, isListed: true),
        .optional("consumptionRequestReason", since: 11, isListed: true),
    ]

    static let notificationAppDataKeys: [WireKey] = [
        .inProduction("appAppleId"),
        .always("bundleId"),
        .always("environment"),
        .always("signedAppTransactionInfo"),
    ]

    static let notificationSummaryKeys: [WireKey] = [
        .always("requestIdentifier"),
        .always("environment"),
        .inProduction("appAppleId"),
        .always("bundleId"),
        .always("productId"),
        .optional("storefrontCountryCodes"),
        .always("succeededCount"),
        .always("failedCount"),
    ]

    static let externalPurchaseTokenKeys: [WireKey] = [
        .always("externalPurchaseId"),
        .always("tokenCreationDate"),
        .always("appAppleId"),
        .always("bundleId"),
        .always("tokenType", since: 16, isListed: true),
        .always("tokenExpirationDate", since: 16),
    ]
}
