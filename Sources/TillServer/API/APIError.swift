import HTTPTypes

/// An error of the App Store Server API: the only place that knows its numbers (docs/api/errors.md).
///
/// The wire form is exactly two keys. The explanation is for the journal and never leaves by the API.
package struct APIError: Error, Sendable {
    /// `errorCode`; nil for a malformed request, which has no error object.
    package let code: Int?
    /// `errorMessage`.
    package let message: String
    /// The first three digits of the code; without a code, as the constructor says.
    package let status: HTTPResponse.Status
    /// Why, in words, with the values involved.
    package private(set) var explanation: String

    private init(_ code: Int, _ message: String) {
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

    /// The same error, explained.
    package func because(_ explanation: String) -> APIError {
        var explained = self
        explained.explanation = explanation
        return explained
    }

    // MARK: 400

    static let generalBadRequest = APIError(4_000_000, "Bad request.")
    static let invalidAppIdentifier = APIError(4_000_002, "Invalid request app identifier.")
    static let invalidRequestRevision = APIError(4_000_005, "Invalid request revision.")
    static let invalidTransactionID = APIError(4_000_006, "Invalid transaction id.")
    static let invalidOriginalTransactionID = APIError(4_000_008, "Invalid original transaction id.")
    static let invalidStartDate = APIError(
        4_000_015,
        "Invalid request. The start date is not a timestamp value represented in milliseconds."
    )
    static let invalidEndDate = APIError(
        4_000_016,
        "Invalid request. The end date is not a timestamp value represented in milliseconds."
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
    static let invalidRevoked = APIError(4_000_030, "Invalid request. The revoked parameter is invalid.")
    static let invalidStatus = APIError(4_000_031, "Invalid request. The status parameter is invalid.")
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

    // MARK: 404

    static let appNotFound = APIError(4_040_003, "App not found.")
    static let originalTransactionIDNotFound = APIError(4_040_005, "Original transaction id not found.")
    static let transactionIDNotFound = APIError(4_040_010, "Transaction id not found.")
    static let appTransactionDoesNotExist = APIError(4_040_019, "No AppTransaction exists for the customer.")

    // MARK: 500

    static let generalInternal = APIError(5_000_000, "An unknown error occurred.")
    static let generalInternalRetryable = APIError(5_000_001, "An unknown error occurred. Please try again.")

    // MARK: Without an error object

    static func malformed(_ explanation: String) -> APIError { APIError(.badRequest, explanation) }
    static func noSuchRoute(_ explanation: String) -> APIError { APIError(.notFound, explanation) }
    static func wrongMethod(_ explanation: String) -> APIError { APIError(.methodNotAllowed, explanation) }
    static func tooLarge(_ explanation: String) -> APIError { APIError(.contentTooLarge, explanation) }
    static func uriTooLong(_ explanation: String) -> APIError { APIError(.uriTooLong, explanation) }
}

/// A 401: no error object, only the id under which the reason can be asked for.
package struct Unauthenticated: Error, Sendable {
    /// For the journal only: what was wrong with the token, and what would do instead.
    package let explanation: String
}
