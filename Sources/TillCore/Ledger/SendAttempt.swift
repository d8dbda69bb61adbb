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
