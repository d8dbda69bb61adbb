/// The times at which Till sends a failed notification again.
package struct RetrySchedule: Equatable, Sendable {
    /// The waiting times in milliseconds. Each begins at the previous attempt.
    package let waits: [Int64]

    /// Production: five more attempts, 1, 13, 37, 85 and 157 hours after the first attempt.
    package static let production = RetrySchedule(hours: [1, 12, 24, 48, 72])

    /// Sandbox: no further attempt after the first.
    package static let single = RetrySchedule(hours: [])

    /// Version 1 in production: three more attempts, 6, 30 and 78 hours after the first attempt.
    package static let v1 = RetrySchedule(hours: [6, 24, 48])

    private init(hours: [Int64]) {
        waits = hours.map { $0 * 3_600_000 }
    }

    /// The instant of the next attempt.
    ///
    /// - Parameters:
    ///   - count: The number of attempts so far, at least one.
    ///   - last: The instant of the last attempt.
    /// - Returns: Nil if there is no further attempt.
    package func next(afterAttempts count: Int, last: Timestamp) -> Timestamp? {
        guard waits.indices.contains(count - 1) else { return nil }
        return last.advanced(milliseconds: waits[count - 1])
    }
}
