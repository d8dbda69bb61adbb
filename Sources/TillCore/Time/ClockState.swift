/// How a clock of the shop goes. The instant that it shows follows from the wall's, which is an argument.
package enum ClockState: Codable, Equatable, Sendable {
    /// As the wall's.
    case real
    case frozen(at: Timestamp)
    /// So many times as fast as the wall's, from an instant of the shop's on.
    case running(from: Timestamp, since: Timestamp, speed: Double)

    /// What the clock shows while the wall's shows `wall`.
    package func now(wall: Timestamp) -> Timestamp {
        switch self {
        case .real: wall
        case .frozen(let instant): instant
        case .running(let start, let since, let speed):
            start.advanced(
                milliseconds: Self.whole((Double(wall.milliseconds) - Double(since.milliseconds)) * speed)
            )
        }
    }

    /// A number of milliseconds, no larger than a stored clock can make it.
    private static func whole(_ milliseconds: Double) -> Int64 {
        let bounds = -0x1p62...0x1p62
        guard !milliseconds.isNaN else { return 0 }
        return Int64(min(max(milliseconds, bounds.lowerBound), bounds.upperBound).rounded(.down))
    }

    /// Whether a clock can go so: as fast as it may, and never near what a number holds.
    package var isPossible: Bool {
        let ages = -Self.age...Self.age
        return switch self {
        case .real: true
        case .frozen(let instant): ages.contains(instant.milliseconds)
        case .running(let start, let since, let speed):
            ages.contains(start.milliseconds) && ages.contains(since.milliseconds) && speed > 0
                && speed <= Self.mostSpeed
        }
    }

    /// How many times as fast as the wall's a clock may go.
    package static let mostSpeed = 10_000_000.0
    /// 3,000 years: at the highest speed what a clock shows still is a number.
    private static let age: Int64 = 100_000_000_000_000

    /// Whether it moves by itself.
    package var moves: Bool { if case .frozen = self { false } else { true } }
}
