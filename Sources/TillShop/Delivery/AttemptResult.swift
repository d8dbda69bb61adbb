import TillCore

/// What became of one attempt to post a notification.
package struct AttemptResult: Equatable, Sendable {
    /// How it ended.
    package var result: SendAttemptResult
    /// The HTTP status of the last answer; nil if none came.
    package var status: Int?
    /// How long it took by the wall, in milliseconds.
    package var milliseconds: Int
    /// What happened, for the delivery log: host and port at most, never a path, a query or a body, which may hold
    /// secrets. Nil after a success.
    package var explanation: String?
    /// True when Till itself did not connect to where the endpoint, or a redirect, leads.
    package var isRefused = false

    /// An attempt's end with all that is known of it.
    package init(result: SendAttemptResult, status: Int? = nil, milliseconds: Int, explanation: String? = nil) {
        self.result = result
        self.status = status
        self.milliseconds = milliseconds
        self.explanation = explanation
    }
}
