/// Why a call failed.
///
/// A call that its task cancels throws `CancellationError` instead.
public struct AppStoreServerError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Reason: Equatable, Sendable {
        /// The server refused the request, or could not process it: see `status`, `code` and `message`.
        case refused
        /// The server refused the token (401), and the clocks agree: the key, its id, the issuer id or the bundle id is
        /// wrong, the key was revoked, or production was asked about an app that was never released.
        case unauthenticated
        /// The server refused the token (401) because the local clock differs from the server's by more than a minute.
        /// The duration is positive if the local clock is behind.
        case clockSkew(Duration)
        /// verifyReceipt refused the receipt.
        case receipt(OpenValue<ReceiptStatus>)
        /// The server answered with success, but not with the documented object.
        case invalidAnswer
        /// No complete answer arrived in time.
        case unreachable
        /// The request was not sent, because the limit of requests a second leaves no time for it before the deadline.
        case limited
    }

    /// The kind of failure.
    public let reason: Reason
    /// The HTTP status; nil without an answer.
    public internal(set) var status: Int?
    /// The code of the App Store Server API; nil without an error object.
    public internal(set) var code: OpenValue<AppStoreErrorCode>?
    /// The message of the server, or what failed.
    public let message: String
    /// How long to wait before the next request (`Retry-After`); nil if the server did not say.
    public internal(set) var retryAfter: Duration?
    /// Whether the same call may succeed later. The client has tried again already, as often as its options allow.
    public let canRetry: Bool
    /// Whether the request may have had its effect in spite of the error.
    public let mayHaveHadEffect: Bool
    /// The server's id of the request (`X-Request-ID`), for `till explain`; nil if the answer has none.
    public internal(set) var requestID: String?
    /// The server that was asked.
    public let server: ServerAddress
    /// The number of requests that were sent for the call.
    public internal(set) var attempts = 1

    /// The message with the status, the code and the id of the request.
    public var description: String {
        let facts = [
            status.map { "status \($0)" }, code.map { "code \($0.rawValue)" }, requestID.map { "request \($0)" },
        ].compactMap(\.self)
        return "\(server): \(message)" + (facts.isEmpty ? "" : " (\(facts.joined(separator: ", ")))")
    }
}
