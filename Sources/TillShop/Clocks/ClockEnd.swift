import TillCore

/// The limits of every clock. Certificates are valid only between these two instants.
extension ClockState {
    /// 2008-01-01T00:00:00Z. A clock cannot be set to an earlier instant.
    package static let start = ClockLimits.times.lowerBound

    /// 2100-01-01T00:00:00Z. A clock cannot be set to this instant or to a later one.
    package static let end = ClockLimits.times.upperBound

    /// The latest instant that the clock shows unless it is set again: a running clock stops a millisecond before
    /// ``end``. Nil for a clock that shows real time, which has no limit.
    var last: Timestamp? {
        switch self {
        case .real: nil
        case .frozen(let instant): instant
        // In data of an earlier version, a clock may have been started after the end. Such a clock does not move.
        case .running(let start, _, _): max(start, Self.end.advanced(milliseconds: -1))
        }
    }

    /// What the clock shows when the wall clock shows `realTime`. The result is never later than ``last``.
    func shown(realTime: Timestamp) -> Timestamp {
        let now = now(realTime: realTime)
        return last.map { min($0, now) } ?? now
    }

    /// The state of a clock that starts to run at an instant.
    ///
    /// - Parameters:
    ///   - since: what the wall clock shows when the clock starts.
    ///   - speed: the speed as a multiple of real time.
    /// - Throws: `ClockRefused` for a speed that is out of range, and for a clock that has already reached ``end``.
    static func started(from start: Timestamp, since: Timestamp, speed: Double) throws -> ClockState {
        guard speed > 0, speed <= maxSpeed else {
            throw ClockRefused(code: "bad_speed", message: "The speed must be above 0 and at most 10000000.")
        }
        guard start.advanced(milliseconds: 1) < end else {
            throw ClockRefused(
                code: "beyond_the_certificates",
                message: "The clock shows \(start.iso8601) and cannot run, because certificates are valid until "
                    + "\(end.iso8601). Create a customer clock and put customers on it instead."
            )
        }
        return .running(from: start, since: since, speed: speed)
    }

    /// - Throws: `ClockRefused` when an instant is not before ``end``.
    static func requireBeforeEnd(_ instant: Timestamp) throws {
        guard instant < end else {
            throw ClockRefused(
                code: "beyond_the_certificates",
                message: "\(instant.iso8601) is too late: certificates are valid until \(end.iso8601)."
            )
        }
    }
}
