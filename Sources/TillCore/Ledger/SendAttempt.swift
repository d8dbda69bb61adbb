/// How one attempt to send a notification ended, with the values of the notification history.
package enum SendAttemptResult: String, Codable, CaseIterable, Sendable {
    /// The receiver answered 200 to 206.
    case success = "SUCCESS"
    /// No complete answer arrived within the time limit.
    case timedOut = "TIMED_OUT"
    /// The handshake failed, or the certificate was invalid.
    case tlsIssue = "TLS_ISSUE"
    /// Redirects formed a loop, or there were too many.
    case circularRedirect = "CIRCULAR_REDIRECT"
    /// The receiver accepted the connection and closed it without sending a byte.
    case noResponse = "NO_RESPONSE"
    /// The connection failed, or was reset before an answer.
    case socketIssue = "SOCKET_ISSUE"
    /// The answer declares an unknown charset.
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    /// The answer is not HTTP.
    case invalidResponse = "INVALID_RESPONSE"
    /// The connection ended in the middle of the answer.
    case prematureClose = "PREMATURE_CLOSE"
    /// The answer is HTTP with a code outside 200 to 206.
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    /// Anything else.
    case other = "OTHER"
}

/// One attempt to send a notification.
package struct SendAttempt: Codable, Equatable, Sendable {
    /// When the attempt was made, by the shop's clock.
    package var date: Timestamp
    /// How it ended.
    package var result: SendAttemptResult
    /// How long it took in real time, in milliseconds.
    package var milliseconds: Int
    /// The HTTP status of the last answer; nil if none came.
    package var status: Int?
    /// Why Till did not send the request, in words; nil otherwise.
    package var reason: String?

    /// An attempt with its result.
    package init(
        date: Timestamp,
        result: SendAttemptResult,
        milliseconds: Int,
        status: Int? = nil,
        reason: String? = nil
    ) {
        self.date = date
        self.result = result
        self.milliseconds = milliseconds
        self.status = status
        self.reason = reason
    }
}
