import Synchronization
import TillCore
import TillStorage

/// The clocks whose due events could not be processed at the last attempt.
final class ClockFailures: Sendable {
    private struct Failure {
        /// When the earliest event was due, as the clock shows it.
        var due: Timestamp
        /// The number of failed attempts in a row.
        var count = 0
        /// The real time of the last log line.
        var logged: Timestamp?
    }

    private let failures = Mutex<[ClockName: Failure]>([:])
    /// The minimum time between two log lines about the same clock, in milliseconds.
    private static let interval: Int64 = 60_000

    /// For each failing clock, when its earliest event was due.
    var due: [ClockName: Timestamp] { failures.withLock { $0.mapValues(\.due) } }

    /// Records a failed attempt.
    ///
    /// - Parameter due: when the earliest event of the attempt was due.
    /// - Returns: the number of failed attempts in a row, for the log; nil if a line was logged a short time ago.
    func add(_ clock: ClockName, due: Timestamp, at realTime: Timestamp) -> Int? {
        failures.withLock { failures in
            var failure = failures[clock] ?? Failure(due: due)
            failure.due = min(failure.due, due)
            failure.count += 1
            defer { failures[clock] = failure }
            if let logged = failure.logged {
                // The difference is negative if the system's clock was set back.
                let elapsed = realTime.milliseconds - logged.milliseconds
                guard !(0..<Self.interval).contains(elapsed) else { return nil }
            }
            failure.logged = realTime
            return failure.count
        }
    }

    /// Records that everything due on a clock was processed.
    func remove(_ clock: ClockName) { failures.withLock { $0[clock] = nil } }
}
