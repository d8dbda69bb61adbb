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

    /// An error whose message begins with "Invalid request."
    private static func invalid(_ code: Int, _ message: String) -> APIError {
        APIError(code, "Invalid request. " + message)
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
    static let startDateTooFarInPast = invalid(4_000_012, "The start date is earlier than the allowed start date.")
    static let startDateAfterEndDate = invalid(
        4_000_013,
        "The end date precedes the start date or the dates are the same."
    )
    static let invalidPaginationToken = invalid(4_000_014, "The pagination token is invalid.")
    static let invalidStartDate = invalid(
        4_000_015,
        "The start date is not a timestamp value represented in milliseconds."
    )
    static let invalidEndDate = invalid(4_000_016, "The end date is not a timestamp value represented in milliseconds.")
    static let invalidNotificationType = invalid(4_000_018, "The notification type or subtype is invalid.")
    static let multipleFiltersSupplied = invalid(
        4_000_019,
        "Supply either a transaction id or a notification type, but not both."
    )
    static let invalidTestNotificationToken = invalid(4_000_020, "The test notification token is invalid.")
    static let invalidSort = invalid(4_000_021, "The sort parameter is invalid.")
    static let invalidProductType = invalid(4_000_022, "The product type parameter is invalid.")
    static let invalidProductID = invalid(4_000_023, "The product id parameter is invalid.")
    static let invalidSubscriptionGroupIdentifier = invalid(
        4_000_024,
        "The subscription group identifier parameter is invalid."
    )
    static let invalidInAppOwnershipType = invalid(4_000_026, "The in-app ownership type parameter is invalid.")
    static let emptyStorefrontCountryCodeList = invalid(
        4_000_027,
        "If provided, the list of storefront country codes must not be empty."
    )
    static let invalidStorefrontCountryCode = invalid(4_000_028, "A storefront country code was invalid.")
    static let invalidRevoked = invalid(4_000_030, "The revoked parameter is invalid.")
    static let invalidStatus = invalid(4_000_031, "The status parameter is invalid.")
    static let invalidAccountTenure = invalid(4_000_032, "The account tenure field is invalid.")
    static let invalidAppAccountToken = invalid(
        4_000_033,
        "The app account token field must contain a valid UUID or an empty string."
    )
    static let invalidConsumptionStatus = invalid(4_000_034, "The consumption status field is invalid.")
    static let invalidCustomerConsented = invalid(
        4_000_035,
        "The customer consented field is required and must indicate the customer consented."
    )
    static let invalidDeliveryStatus = invalid(4_000_036, "The delivery status field is invalid.")
    static let invalidLifetimeDollarsPurchased = invalid(4_000_037, "The lifetime dollars purchased field is invalid.")
    static let invalidLifetimeDollarsRefunded = invalid(4_000_038, "The lifetime dollars refunded field is invalid.")
    static let invalidPlatform = invalid(4_000_039, "The platform field is invalid.")
    static let invalidPlayTime = invalid(4_000_040, "The playtime field is invalid.")
    static let invalidSampleContentProvided = invalid(4_000_041, "The sample content provided field is invalid.")
    static let invalidUserStatus = invalid(4_000_042, "The user status field is invalid.")
    static let invalidRefundPreference = invalid(4_000_044, "The refund preference field is invalid.")
    static let transactionTypeNotSupported = invalid(
        4_000_047,
        "The transaction id doesn't represent a supported in-app purchase type."
    )
    static let appTransactionIDNotSupported = invalid(4_000_048, "App transactions aren't supported by this endpoint.")
    static let invalidAppAccountTokenUUID = invalid(4_000_183, "The app account token field must be a valid UUID.")
    static let familyTransactionNotSupported = invalid(
        4_000_185,
        "Family Sharing transactions aren't supported by this endpoint."
    )
    static let transactionIDIsNotOriginal = invalid(
        4_000_187,
        "The transaction ID provided is not an original transaction ID."
    )
    // These codes are Till's own: Apple has not published the codes of these errors (docs/api/consumption.md).
    static let consumptionPercentageOutOfRange = invalid(
        4_000_207,
        "The consumption percentage field must be from 0 to 100000."
    )
    static let undeliveredConsumptionPercentageNonZero = invalid(
        4_000_208,
        "The consumption percentage field must be 0 for a purchase that wasn't delivered."
    )
    static let consumptionPercentageOfSubscription = invalid(
        4_000_209,
        "The consumption percentage field is not supported for auto-renewable subscription transactions."
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
    /// The reason in one word, for the metrics.
    let reason: TokenRefusal
}
