import TillCore
import TillStorage

/// The result of one attempt to post a notification.
package struct AttemptResult: Equatable, Sendable {
    /// The result, as Apple's notification history names it.
    package var result: SendAttemptResult
    /// The HTTP status of the last answer; nil if there was no answer.
    package var status: Int?
    /// The duration in milliseconds of real time.
    package var milliseconds: Int
    /// An explanation for the delivery log; nil after a success. Of the URL it contains only host and port, because a
    /// path, a query or a body may contain secrets.
    package var explanation: String?
    /// Whether Till refused to connect to the address of the endpoint or of a redirect.
    package var isRefused = false

    /// Creates the result of an attempt.
    package init(result: SendAttemptResult, status: Int? = nil, milliseconds: Int, explanation: String? = nil) {
        self.result = result
        self.status = status
        self.milliseconds = milliseconds
        self.explanation = explanation
    }
}

extension Delivery {
    /// The delivery after an attempt, with the due date of the next attempt.
    ///
    /// - Parameter isGone: whether the endpoint was removed, so that it receives no more attempts.
    func after(_ result: AttemptResult, at date: Timestamp, _ schedule: RetrySchedule, isGone: Bool) -> Delivery {
        var done = self
        done.attempts.append(
            SendAttempt(
                date: date,
                result: result.result,
                milliseconds: result.milliseconds,
                status: result.status,
                reason: result.isRefused ? result.explanation : nil
            )
        )
        done.attemptDue = due
        let isDone = result.result == .success
        done.isDelivered = isDelivered || isDone
        done.due = isDone || isGone ? nil : schedule.next(afterAttempts: done.attempts.count, last: date)
        return done
    }
}
