import TillCore

/// The result of one attempt to post a notification.
package struct AttemptResult: Equatable, Sendable {
    /// The result in Apple's words.
    package var result: SendAttemptResult
    /// The HTTP status of the last answer; nil without one.
    package var status: Int?
    /// The duration in milliseconds of real time.
    package var milliseconds: Int
    /// An explanation for the delivery log; nil after a success. It contains at most the host and port, never a path, a
    /// query or a body, which may contain secrets.
    package var explanation: String?
    /// Whether Till refused to connect to the address of the endpoint or of a redirect.
    package var isRefused = false

    /// The result of an attempt.
    package init(result: SendAttemptResult, status: Int? = nil, milliseconds: Int, explanation: String? = nil) {
        self.result = result
        self.status = status
        self.milliseconds = milliseconds
        self.explanation = explanation
    }
}
