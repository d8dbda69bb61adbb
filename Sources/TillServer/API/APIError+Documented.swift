/// Every error that Apple documents for the served routes, by error code. Fault rules choose from these errors.
extension APIError {
    /// Errors that Till returns only for a fault rule: internal errors of Apple, and errors of other API versions.
    private static let neverOurOwn = [
        APIError(4_000_004, "Invalid request limit."),
        APIError(4_000_017, "Invalid request. The pagination token is expired."),
        APIError(4_000_025, "Invalid request. The exclude revoked parameter is invalid."),
        APIError(
            4_000_043,
            "Invalid request. The transaction id parameter must represent a consumable in-app purchase."
        ),
        APIError(4_000_227, "Invalid request. Assigned transactions aren't supported by this endpoint."),
        APIError(4_030_028, "Assigned subscriptions can't get a renewal date extension."),
        APIError(4_040_001, "Account not found."),
        APIError(4_040_002, "Account not found. Please try again."),
        APIError(4_040_004, "App not found. Please try again."),
        APIError(4_040_006, "Original transaction id not found. Please try again."),
    ]

    private static let ourOwn: [APIError] = [
        .generalBadRequest, .invalidAppIdentifier, .invalidRequestRevision, .invalidTransactionID,
        .invalidOriginalTransactionID, .invalidExtendByDays, .invalidExtendReasonCode, .invalidRequestIdentifier,
        .startDateTooFarInPast, .startDateAfterEndDate, .invalidPaginationToken, .invalidStartDate, .invalidEndDate,
        .invalidNotificationType, .multipleFiltersSupplied, .invalidTestNotificationToken, .invalidSort,
        .invalidProductType, .invalidProductID, .invalidSubscriptionGroupIdentifier, .invalidInAppOwnershipType,
        .emptyStorefrontCountryCodeList, .invalidStorefrontCountryCode, .invalidRevoked, .invalidStatus,
        .invalidAccountTenure, .invalidAppAccountToken, .invalidConsumptionStatus, .invalidCustomerConsented,
        .invalidDeliveryStatus, .invalidLifetimeDollarsPurchased, .invalidLifetimeDollarsRefunded, .invalidPlatform,
        .invalidPlayTime, .invalidSampleContentProvided, .invalidUserStatus, .invalidRefundPreference,
        .transactionTypeNotSupported, .appTransactionIDNotSupported, .invalidAppAccountTokenUUID,
        .familyTransactionNotSupported, .transactionIDIsNotOriginal, .consumptionPercentageOutOfRange,
        .undeliveredConsumptionPercentageNonZero, .consumptionPercentageOfSubscription, .extensionIneligible,
        .extensionLimitReached, .familySharedExtensionIneligible, .appNotFound, .originalTransactionIDNotFound,
        .notificationURLNotFound, .testNotificationNotFound, .statusRequestNotFound, .transactionIDNotFound,
        .appTransactionDoesNotExist, .rateLimitExceeded, .generalInternal, .generalInternalRetryable,
    ]

    /// The errors by code.
    static let documented = Dictionary(
        uniqueKeysWithValues: (ourOwn + neverOurOwn).compactMap { error in error.code.map { ($0, error) } }
    )

    /// The code and the message of every error, by code.
    package static var documentedErrors: [(code: Int, message: String)] {
        documented.map { ($0.key, $0.value.message) }.sorted { $0.code < $1.code }
    }
}
