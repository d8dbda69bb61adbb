/// The state of a clock. Its time is computed from the real time, which is a parameter.
package enum ClockState: Codable, Equatable, Sendable {
    /// Real time.
    case real
    case frozen(at: Timestamp)
    /// A multiple of real time, starting at an instant of the shop's time.
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

    /// Rounds milliseconds, within the range that a stored clock can produce.
    private static func whole(_ milliseconds: Double) -> Int64 {
        let bounds = -0x1p62...0x1p62
        guard !milliseconds.isNaN else { return 0 }
        return Int64(min(max(milliseconds, bounds.lowerBound), bounds.upperBound).rounded(.down))
    }

    /// Whether the values are valid: the speed within its limit, and no risk of overflow.
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
    package static let maxSpeed = 10_000_000.0
    /// 3,000 years: at the maximum speed the clock's time still fits a number.
    private static let age: Int64 = 100_000_000_000_000

    /// Whether it moves with real time.
    package var moves: Bool { if case .frozen = self { false } else { true } }
}
