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
            start.advanced(milliseconds: Int64((Double(wall.milliseconds - since.milliseconds) * speed).rounded(.down)))
        }
    }

    /// Whether it moves by itself.
    package var moves: Bool { if case .frozen = self { false } else { true } }
}
