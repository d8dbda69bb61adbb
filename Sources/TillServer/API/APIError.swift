import HTTPTypes

/// An error of the App Store Server API. Only this type contains the error codes (docs/api/errors.md).
///
/// The JSON of an error has exactly two keys. The explanation appears only in the request log, never in the answer.
package struct APIError: Error, Sendable {
    /// The value of `errorCode`; nil for a malformed request, whose answer has no error object.
    package let code: Int?
    /// The value of `errorMessage`.
    package let message: String
    /// The HTTP status: the first three digits of the code, or an explicit status for an error without a code.
    package let status: HTTPResponse.Status
    /// Why the request was refused, with the values involved.
    package private(set) var explanation: String
    /// The value of the `Retry-After` header; nil for no header.
    private(set) var retryAfter: Int64?

    init(_ code: Int, _ message: String) {
        self.code = code
        self.message = message
        status = HTTPResponse.Status(code: code / 10_000)
        explanation = message
    }

    private init(_ status: HTTPResponse.Status, _ explanation: String) {
        code = nil
        message = ""
        self.status = status
        self.explanation = explanation
    }

    /// Returns the same error with an explanation.
    package func because(_ explanation: String) -> APIError {
        var explained = self
        explained.explanation = explanation
        return explained
    }

    /// Returns the same error with a `Retry-After` header.
    func retrying(after value: Int64?) -> APIError {
        var error = self
        error.retryAfter = value
        return error
    }

    // MARK: 400

    static let generalBadRequest = APIError(4_000_000, "Bad request.")
    static let invalidAppIdentifier = APIError(4_000_002, "Invalid request app identifier.")
    static let invalidRequestRevision = APIError(4_000_005, "Invalid request revision.")
    static let invalidTransactionID = APIError(4_000_006, "Invalid transaction id.")
    static let invalidOriginalTransactionID = APIError(4_000_008, "Invalid original transaction id.")
    static let invalidExtendByDays = APIError(4_000_009, "Invalid extend by days value.")
    static let invalidExtendReasonCode = APIError(4_000_010, "Invalid extend reason code.")
    static let invalidRequestIdentifier = APIError(4_000_011, "Invalid request identifier.")
    static let startDateTooFarInPast = APIError(
        4_000_012,
        "Invalid request. The start date is earlier than the allowed start date."
    )
    static let startDateAfterEndDate = APIError(
        4_000_013,
        "Invalid request. The end date precedes the start date or the dates are the same."
    )
    static let invalidPaginationToken = APIError(4_000_014, "Invalid request. The pagination token is invalid.")
    static let invalidStartDate = APIError(
        4_000_015,
        "Invalid request. The start date is not a timestamp value represented in milliseconds."
    )
    static let invalidEndDate = APIError(
        4_000_016,
        "Invalid request. The end date is not a timestamp value represented in milliseconds."
    )
    static let invalidNotificationType = APIError(
        4_000_018,
        "Invalid request. The notification type or subtype is invalid."
    )
    static let multipleFiltersSupplied = APIError(
        4_000_019,
        "Invalid request. Supply either a transaction id or a notification type, but not both."
    )
    static let invalidTestNotificationToken = APIError(
        4_000_020,
        "Invalid request. The test notification token is invalid."
    )
    static let invalidSort = APIError(4_000_021, "Invalid request. The sort parameter is invalid.")
    static let invalidProductType = APIError(4_000_022, "Invalid request. The product type parameter is invalid.")
    static let invalidProductID = APIError(4_000_023, "Invalid request. The product id parameter is invalid.")
    static let invalidSubscriptionGroupIdentifier = APIError(
        4_000_024,
        "Invalid request. The subscription group identifier parameter is invalid."
    )
    static let invalidInAppOwnershipType = APIError(
        4_000_026,
        "Invalid request. The in-app ownership type parameter is invalid."
    )
    static let emptyStorefrontCountryCodeList = APIError(
        4_000_027,
        "Invalid request. If provided, the list of storefront country codes must not be empty."
    )
    static let invalidStorefrontCountryCode = APIError(
        4_000_028,
        "Invalid request. A storefront country code was invalid."
    )
    static let invalidRevoked = APIError(4_000_030, "Invalid request. The revoked parameter is invalid.")
    static let invalidStatus = APIError(4_000_031, "Invalid request. The status parameter is invalid.")
    static let invalidAccountTenure = APIError(4_000_032, "Invalid request. The account tenure field is invalid.")
    static let invalidAppAccountToken = APIError(
        4_000_033,
        "Invalid request. The app account token field must contain a valid UUID or an empty string."
    )
    static let invalidConsumptionStatus = APIError(
        4_000_034,
        "Invalid request. The consumption status field is invalid."
    )
    static let invalidCustomerConsented = APIError(
        4_000_035,
        "Invalid request. The customer consented field is required and must indicate the customer consented."
    )
    static let invalidDeliveryStatus = APIError(4_000_036, "Invalid request. The delivery status field is invalid.")
    static let invalidLifetimeDollarsPurchased = APIError(
        4_000_037,
        "Invalid request. The lifetime dollars purchased field is invalid."
    )
    static let invalidLifetimeDollarsRefunded = APIError(
        4_000_038,
        "Invalid request. The lifetime dollars refunded field is invalid."
    )
    static let invalidPlatform = APIError(4_000_039, "Invalid request. The platform field is invalid.")
    static let invalidPlayTime = APIError(4_000_040, "Invalid request. The playtime field is invalid.")
    static let invalidSampleContentProvided = APIError(
        4_000_041,
        "Invalid request. The sample content provided field is invalid."
    )
    static let invalidUserStatus = APIError(4_000_042, "Invalid request. The user status field is invalid.")
    static let invalidRefundPreference = APIError(4_000_044, "Invalid request. The refund preference field is invalid.")
    static let transactionTypeNotSupported = APIError(
        4_000_047,
        "Invalid request. The transaction id doesn't represent a supported in-app purchase type."
    )
    static let appTransactionIDNotSupported = APIError(
        4_000_048,
        "Invalid request. App transactions aren't supported by this endpoint."
    )
    static let invalidAppAccountTokenUUID = APIError(
        4_000_183,
        "Invalid request. The app account token field must be a valid UUID."
    )
    static let familyTransactionNotSupported = APIError(
        4_000_185,
        "Invalid request. Family Sharing transactions aren't supported by this endpoint."
    )
    static let transactionIDIsNotOriginal = APIError(
        4_000_187,
        "Invalid request. The transaction ID provided is not an original transaction ID."
    )
    // These codes are Till's own: Apple has not published the codes of these errors (docs/api/consumption.md).
    static let consumptionPercentageOutOfRange = APIError(
        4_000_207,
        "Invalid request. The consumption percentage field must be from 0 to 100000."
    )
    static let undeliveredConsumptionPercentageNonZero = APIError(
        4_000_208,
        "Invalid request. The consumption percentage field must be 0 for a purchase that wasn't delivered."
    )
    static let consumptionPercentageOfSubscription = APIError(
        4_000_209,
        "Invalid request. The consumption percentage field is not supported for "
            + "auto-renewable subscription transactions."
    )

    // MARK: 403

    static let extensionIneligible = APIError(4_030_004, "Forbidden - subscription state ineligible for extension.")
    static let extensionLimitReached = APIError(
        4_030_005,
        "Forbidden - subscription has reached maximum extension count."
    )
    static let familySharedExtensionIneligible = APIError(
        4_030_007,
        "Subscriptions that users obtain through Family Sharing can't get a renewal date extension directly."
    )

    // MARK: 404

    static let appNotFound = APIError(4_040_003, "App not found.")
    static let originalTransactionIDNotFound = APIError(4_040_005, "Original transaction id not found.")
    static let notificationURLNotFound = APIError(
        4_040_007,
        "No App Store Server Notification URL found for provided app. "
            + "Check that a URL is configured in App Store Connect for this environment."
    )
    static let testNotificationNotFound = APIError(
        4_040_008,
        "Either the test notification token is expired or the notification and status are not yet available."
    )
    static let statusRequestNotFound = APIError(
        4_040_009,
        "The server didn't find a subscription-renewal-date extension request "
            + "for this requestIdentifier and productId combination."
    )
    static let transactionIDNotFound = APIError(4_040_010, "Transaction id not found.")
    static let appTransactionDoesNotExist = APIError(4_040_019, "No AppTransaction exists for the customer.")

    // MARK: 429

    static let rateLimitExceeded = APIError(4_290_000, "Rate limit exceeded.")

    // MARK: 500

    static let generalInternal = APIError(5_000_000, "An unknown error occurred.")
    static let generalInternalRetryable = APIError(5_000_001, "An unknown error occurred. Please try again.")

    // MARK: Errors without an error object

    static func bare(_ status: HTTPResponse.Status, _ explanation: String) -> APIError {
        APIError(status, explanation)
    }

    static func malformed(_ explanation: String) -> APIError { APIError(.badRequest, explanation) }
    static func noSuchRoute(_ explanation: String) -> APIError { APIError(.notFound, explanation) }
    static func wrongMethod(_ explanation: String) -> APIError { APIError(.methodNotAllowed, explanation) }
    static func tooLarge(_ explanation: String) -> APIError { APIError(.contentTooLarge, explanation) }
    static func uriTooLong(_ explanation: String) -> APIError { APIError(.uriTooLong, explanation) }
}

/// A 401 answer. It contains only the request id, with which the request log shows the reason.
package struct Unauthenticated: Error, Sendable {
    /// What was wrong with the token, and how to fix it; only for the request log.
    package let explanation: String
}
