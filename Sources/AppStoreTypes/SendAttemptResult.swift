/// The result of one attempt to send a notification, with the values that Apple's notification history uses.
public enum SendAttemptResult: String, Codable, CaseIterable, Sendable {
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
