/// When a notification that was not delivered is sent again.
package struct RetrySchedule: Equatable, Sendable {
    /// The waits in milliseconds, each counted from the attempt before it.
    package let waits: [Int64]

    /// Production: five more attempts, 1, 13, 37, 85 and 157 hours after the first.
    package static let production = RetrySchedule(hours: [1, 12, 24, 48, 72])

    /// Sandbox: a single attempt.
    package static let single = RetrySchedule(hours: [])

    /// Version 1 in production: three more attempts, 6, 30 and 78 hours after the first.
    package static let v1 = RetrySchedule(hours: [6, 24, 48])

    private init(hours: [Int64]) {
        waits = hours.map { $0 * 3_600_000 }
    }

    /// When the next attempt is due.
    ///
    /// - Parameters:
    ///   - count: how many attempts have been made; at least one.
    ///   - last: when the last attempt was made.
    /// - Returns: nil when the delivery is abandoned.
    package func next(afterAttempts count: Int, last: Timestamp) -> Timestamp? {
        guard waits.indices.contains(count - 1) else { return nil }
        return last.advanced(milliseconds: waits[count - 1])
    }
}
