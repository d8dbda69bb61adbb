import Foundation
import TillCore

/// The default time of day in scenarios. The App Store adds periods in Pacific time. A period that begins at 4 a.m.
/// Pacific time also renews then, which is noon UTC in winter and 11:00 UTC in summer.
/// A date without a time means this time of day.
struct Hours: Sendable {
    private let secondsOfDay: Int64

    /// The time of day at which a scenario begins. If only a day is given, it is noon UTC of a winter day.
    init(of start: Timestamp) { secondsOfDay = Hours.pacificSecondsOfDay(start) }

    /// Reads `2026-01-31`, `2026-01-31 18:30`, `2026-01-31 18:30:05` and ISO 8601.
    func instant(_ text: String) -> Timestamp {
        let parts = Hours.numbers(text)
        let midnight = Hours.midnight(parts)
        guard parts.count <= 3 else { return midnight.advanced(milliseconds: Hours.time(parts) * 1_000) }
        let near = midnight.advanced(milliseconds: (secondsOfDay + 8 * 3_600) % 86_400 * 1_000)
        let time = (secondsOfDay - Hours.offset(near) + 2 * 86_400) % 86_400
        return midnight.advanced(milliseconds: time * 1_000)
    }

    /// The text of an instant: `2026-01-31` at the scenario's time of day, `2026-01-31 18:30` at any other.
    func words(_ instant: Timestamp) -> String {
        let text = instant.iso8601
        let date = String(text.prefix(10))
        guard Hours.pacificSecondsOfDay(instant) != secondsOfDay else { return date }
        let time = text.dropFirst(11).dropLast()
        return "\(date) \(time.hasSuffix(":00") ? time.dropLast(3) : time)"
    }

    /// The start of a scenario: the given time, or 4 a.m. Pacific time (noon UTC in winter) of the given day.
    static func start(_ text: String) -> Timestamp {
        let parts = numbers(text)
        guard parts.count <= 3 else { return midnight(parts).advanced(milliseconds: time(parts) * 1_000) }
        return Hours(secondsOfDay: 4 * 3_600).instant(text)
    }

    private init(secondsOfDay: Int64) { self.secondsOfDay = secondsOfDay }

    private static func numbers(_ text: String) -> [Int] { text.split { "-T:Z ".contains($0) }.compactMap { Int($0) } }

    private static func time(_ parts: [Int]) -> Int64 {
        Int64(parts[3] * 3_600 + parts[4] * 60 + (parts.count > 5 ? parts[5] : 0))
    }

    private static func midnight(_ parts: [Int]) -> Timestamp {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let components = DateComponents(year: parts[0], month: parts[1], day: parts[2])
        guard let date = calendar.date(from: components) else { preconditionFailure("\(parts) is not a day") }
        return Timestamp(seconds: Int64(date.timeIntervalSince1970))
    }

    private static func offset(_ instant: Timestamp) -> Int64 {
        guard let zone = TimeZone(identifier: "America/Los_Angeles") else { preconditionFailure("no time zone data") }
        return Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000)))
    }

    private static func pacificSecondsOfDay(_ instant: Timestamp) -> Int64 {
        let local = instant.wholeSecond.milliseconds / 1_000 + offset(instant)
        return (local % 86_400 + 86_400) % 86_400
    }
}
