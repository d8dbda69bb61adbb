import TillCore
import TillJSON

/// Creates the responses with a status other than 0, exactly as Apple sends them (docs/api/receipts/verify-receipt.md).
extension VerifyReceiptAnswer {
    /// The statuses whose response includes the environment.
    package enum Refusal: Int {
        case notAuthenticated = 21_003
        case wrongSecret = 21_004
        /// The server cannot answer now; the client should try again.
        case unavailable = 21_005
        /// The server could not read its data.
        case internalError = 21_009
        case noAccount = 21_010
    }

    /// Status 21000: the request's method is not POST.
    package static func wrongMethod(_ method: String) -> VerifyReceiptAnswer {
        bare(21_000, of: nil, because: "\(method) is not supported here; call verifyReceipt with POST.")
    }

    /// Status 21002: `receipt-data` cannot be read as a receipt.
    package static func malformed(_ explanation: String) -> VerifyReceiptAnswer {
        bare(21_002, of: nil, because: explanation)
    }

    /// The response for a status that a fault rule sets, with the same members as Apple's response.
    package static func faulty(
        _ status: Int,
        in environment: StoreEnvironment,
        of app: String?,
        because explanation: String
    )
        -> VerifyReceiptAnswer
    {
        if [21_000, 21_002, 21_007, 21_008].contains(status) { return bare(status, of: app, because: explanation) }
        var json = JSONWriter(capacity: 96)
        json.put("status", status)
        json.put("environment", environment.wireName)
        if (21_100...21_199).contains(status) { json.put("is_retryable", true) }
        if status == 21_010 { json.put("is_retryable", false) }
        return VerifyReceiptAnswer(status: status, body: json.finish(), app: app, explanation: explanation)
    }

    /// Status 21007 or 21008: the receipt belongs to the other environment.
    static func otherEnvironment(than environment: StoreEnvironment, of app: String) -> VerifyReceiptAnswer {
        switch environment {
        case .production:
            bare(21_007, of: app, because: "This is a sandbox receipt; send it to the verifyReceipt of the sandbox.")
        case .sandbox:
            bare(21_008, of: app, because: "This is a production receipt; send it to the verifyReceipt of production.")
        }
    }

    /// A response with the status and the environment.
    package static func refused(
        _ refusal: Refusal,
        in environment: StoreEnvironment,
        of app: String? = nil,
        because explanation: String
    ) -> VerifyReceiptAnswer {
        faulty(refusal.rawValue, in: environment, of: app, because: explanation)
    }

    /// A response that contains only the status.
    private static func bare(_ status: Int, of app: String?, because explanation: String) -> VerifyReceiptAnswer {
        var json = JSONWriter(capacity: 32)
        json.put("status", status)
        return VerifyReceiptAnswer(status: status, body: json.finish(), app: app, explanation: explanation)
    }
}
