/// The state of a clock. Callers pass the real time, from which the clock's time is computed.
package enum ClockState: Codable, Equatable, Sendable {
    /// Real time.
    case real
    case frozen(at: Timestamp)
    /// The clock runs at a multiple of real time. At the real time `since`, the clock showed `from`.
    case running(from: Timestamp, since: Timestamp, speed: Double)

    /// The clock's time at the real time `realTime`.
    package func now(realTime: Timestamp) -> Timestamp {
        switch self {
        case .real: realTime
        case .frozen(let instant): instant
        case .running(let start, let since, let speed):
            start.advanced(
                milliseconds: Self.whole((Double(realTime.milliseconds) - Double(since.milliseconds)) * speed)
            )
        }
    }

    /// Rounds milliseconds, and limits the result to the range that a stored clock can produce.
    private static func whole(_ milliseconds: Double) -> Int64 {
        let bounds = -0x1p62...0x1p62
        guard !milliseconds.isNaN else { return 0 }
        return Int64(min(max(milliseconds, bounds.lowerBound), bounds.upperBound).rounded(.down))
    }

    /// Whether the values are valid: the speed is within its limit, and no calculation can overflow.
    package var isPossible: Bool {
        let ages = -Self.age...Self.age
        return switch self {
        case .real: true
        case .frozen(let instant): ages.contains(instant.milliseconds)
        case .running(let start, let since, let speed):
            ages.contains(start.milliseconds) && ages.contains(since.milliseconds) && speed > 0
                && speed <= Self.maxSpeed
        }
    }

    /// The maximum speed, as a multiple of real time.
    package static let maxSpeed = Double(ClockLimits.maxSpeed)
    /// About 3,000 years, in milliseconds. Within this range the clock's time fits 64 bits even at the maximum speed.
    private static let age: Int64 = 100_000_000_000_000

    /// Whether the clock's time changes with real time.
    package var moves: Bool { if case .frozen = self { false } else { true } }
}
