import TillJSON

/// Errors from answers.
extension AppStoreServerError {
    /// Whether another environment may know what this one does not.
    var isUnknownHere: Bool {
        code == .transactionIdNotFound || code == .originalTransactionIdNotFound
            || reason == .receipt(.known(.sandboxReceipt))
    }

    /// The server refused the token.
    init(unauthenticated reason: Reason, _ server: ServerAddress) {
        var message =
            "The server refused the token. Check the key, its id, the issuer id and the bundle id. Production also "
            + "refuses every token for an app that was never released."
        if case .clockSkew(let skew) = reason {
            message =
                "The server refused the token, and its clock is \(skew) ahead of the local one. Set the local clock."
        }
        self.init(
            reason: reason,
            status: 401,
            message: message,
            canRetry: false,
            mayHaveHadEffect: false,
            server: server
        )
    }

    /// The server answered with an error status. Only an object with both keys has a code.
    init(refusal response: TransportResponse, retryAfter: Duration?, _ server: ServerAddress) {
        let object = try? RawObject(utf8: response.body)
        let code: OpenValue<AppStoreErrorCode>? = object?["errorCode"]
        let message: String? = object?["errorMessage"]
        self.init(
            reason: .refused,
            status: response.status,
            code: code,
            message: message.map(Self.shortened) ?? "The server answered \(response.status) without an error object.",
            retryAfter: retryAfter,
            canRetry: response.status == 429 || response.status >= 500 || code?.known?.isRetryable ?? false,
            mayHaveHadEffect: response.status >= 500,
            server: server
        )
    }

    /// A text of the server. Errors stay in logs and lists, and Apple's messages have less than 300 characters.
    private static func shortened(_ message: String) -> String {
        message.utf8.count <= 2_000 ? message : "\(message.prefix(2_000))…"
    }

    /// The body of an answer with success is not what it should be.
    init(reading response: TransportResponse, failedWith error: any Error, _ server: ServerAddress) {
        let receipt = error as? ReceiptRefusal
        // A text that is not JSON may have been cut off. An empty one is what Apple's sandbox answers about orders.
        let isCutOff = (error as? MalformedObject)?.isText == true && !response.body.isEmpty
        self.init(
            reason: receipt.map { .receipt($0.status) } ?? .invalidAnswer,
            status: response.status,
            message: receipt.map { "verifyReceipt answered the status \($0.status.rawValue)." }
                ?? "The answer is not the documented object: \(error)",
            canRetry: receipt?.canRetry ?? isCutOff,
            mayHaveHadEffect: receipt == nil,
            server: server
        )
    }
}
