/// The result of one attempt to send a notification, with the values that Apple's notification history uses.
package enum SendAttemptResult: String, Codable, CaseIterable, Sendable {
    /// The receiver responded with an HTTP status from 200 to 206.
    case success = "SUCCESS"
    /// No complete response arrived within the time limit.
    case timedOut = "TIMED_OUT"
    /// The TLS handshake failed, or the certificate was invalid.
    case tlsIssue = "TLS_ISSUE"
    /// Redirects formed a loop, or there were too many.
    case circularRedirect = "CIRCULAR_REDIRECT"
    /// The receiver accepted the connection and closed it without sending a byte.
    case noResponse = "NO_RESPONSE"
    /// The connection failed, or the receiver reset it before a response.
    case socketIssue = "SOCKET_ISSUE"
    /// The response declares an unknown charset.
    case unsupportedCharset = "UNSUPPORTED_CHARSET"
    /// The response is not HTTP.
    case invalidResponse = "INVALID_RESPONSE"
    /// The connection closed in the middle of the response.
    case prematureClose = "PREMATURE_CLOSE"
    /// The response has an HTTP status outside 200 to 206.
    case unsuccessfulHTTPResponseCode = "UNSUCCESSFUL_HTTP_RESPONSE_CODE"
    /// Any other failure.
    case other = "OTHER"
}

/// One attempt to send a notification.
package struct SendAttempt: Codable, Equatable, Sendable {
    /// The simulated time of the attempt.
    package var date: Timestamp
    /// The result of the attempt.
    package var result: SendAttemptResult
    /// The duration of the attempt in real time, in milliseconds.
    package var milliseconds: Int
    /// The HTTP status of the last response; nil if there was none.
    package var status: Int?
    /// The reason why Till did not send the request, as text; nil if it sent the request.
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
