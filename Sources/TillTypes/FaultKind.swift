/// The effect of a fault.
public enum FaultKind: String, Codable, CaseIterable, Sendable {
    /// Answers with the documented Apple error that has this `code`. `retryAfter` adds a `Retry-After` header.
    case error
    /// Answers with the HTTP status 401, without an explanation.
    case unauthorized
    /// Answers with the HTTP status in `code`, which is 500 or above, and without an error object.
    case status
    /// Answers a verifyReceipt request with the status in `code`.
    case receiptStatus
    /// Delays the answer by `milliseconds`, plus a random time of up to `spread` milliseconds.
    case latency
    /// Closes the connection before the answer.
    case cut
    /// Closes the connection in the middle of the answer.
    case half
    /// Hides purchases that were made in the last `milliseconds` of real time.
    case staleReads
    /// Answers with the HTTP status 429 after `perHour` calls in an hour; without `perHour`, Apple's limits apply.
    case rateLimit
    /// Does not send a notification, but records it as delivered.
    case drop
    /// Sends a notification `milliseconds` of real time late.
    case delay
    /// Posts a notification twice.
    case duplicate
    /// Holds a notification back until the next notification of the same subscription was sent, or for at most
    /// `milliseconds`.
    case reorder
}
