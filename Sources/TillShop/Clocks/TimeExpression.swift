import TillCalendar
import TillCore

/// An instant or a duration, parsed from a text that a person wrote.
package enum TimeExpression: Equatable, Sendable {
    /// An instant: `2026-03-01`, `2026-03-01T10:00:00Z`, or milliseconds since 1970.
    case instant(Timestamp)
    /// A number of calendar days, weeks, months or years: `1mo`, `2w`, `P1Y`.
    case period(Period)
    /// A duration in milliseconds: `36h`, `1h30m`, `PT36H`.
    case milliseconds(Int64)

    /// Parses an instant or a duration; nil for anything else.
    package init?(_ text: String) {
        if let instant = TimeExpression.instant(text) {
            self = .instant(instant)
        } else if let period = Period(iso8601: text) {
            self = .period(period)
        } else if let length = TimeExpression.length(text) {
            self = length
        } else {
            return nil
        }
    }

    /// Examples, for messages.
    package static let examples = "36h, 1d, 2w, 1mo, P1Y, 2026-03-01, or 2026-03-01T10:00:00Z"

    // MARK: Lengths

    private static let milliseconds: [String: Int64] = [
        "s": 1_000, "sec": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000,
    ]

    private static let units: [String: Period.Unit] = [
        "d": .day, "day": .day, "days": .day, "w": .week, "week": .week, "weeks": .week, "mo": .month, "month": .month,
        "months": .month, "y": .year, "year": .year, "years": .year,
    ]

    /// The maximum length in milliseconds, about 3,000 years: no sum with the time of a clock overflows.
    private static let longest: Int64 = 100_000_000_000_000

    /// Parses numbers with units. Hours, minutes and seconds can be combined. A calendar period cannot be combined with
    /// other units, because its length depends on when it begins.
    private static func length(_ text: String) -> TimeExpression? {
        let isISO = text.hasPrefix("PT")
        var rest = isISO ? text.dropFirst(2).lowercased()[...] : text[...]
        var total: Int64 = 0
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            let unit = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(unit.count)
            guard (1...9).contains(digits.count), let count = Int64(digits), count > 0 else { return nil }
            if !isISO, let calendar = units[String(unit)] {
                guard total == 0, rest.isEmpty, count < 1_000 else { return nil }
                return .period(Period(Int(count), calendar))
            }
            guard let each = milliseconds[String(unit)] else { return nil }
            total += count * each
            guard total <= longest else { return nil }
        } while !rest.isEmpty
        return .milliseconds(total)
    }

    // MARK: Instants

    /// Parses an instant. A date without a time means midnight UTC, and a time without a zone is in UTC.
    package static func instant(_ text: String) -> Timestamp? {
        if (11...14).contains(text.utf8.count), let number = digits(text[...]) {
            return Timestamp(milliseconds: number)
        }
        let parts = text.split(separator: text.contains("T") ? "T" : " ", omittingEmptySubsequences: false)
        let date = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard
            parts.count <= 2, date.count == 3, date.map(\.utf8.count) == [4, 2, 2], let year = digits(date[0]),
            let month = digits(date[1]), let day = digits(date[2]),
            let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        let midnight = Timestamp(seconds: date.daysSince1970 * 86_400)
        guard parts.count == 2 else { return midnight }
        guard let time = time(parts[1]) else { return nil }
        return midnight.advanced(milliseconds: time)
    }

    /// Parses a time of day, such as `10:00`, `10:00:00.500Z` or `10:00+01:00`, into milliseconds since midnight UTC.
    private static func time(_ text: Substring) -> Int64? {
        let clock = text.prefix { $0 != "Z" && $0 != "+" && $0 != "-" }
        let zone = text.dropFirst(clock.count)
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard
            (2...3).contains(parts.count), let hour = two(parts[0], below: 24), let minute = two(parts[1], below: 60),
            let second = parts.count == 3 ? seconds(parts[2]) : 0, let offset = offset(zone)
        else { return nil }
        return (hour * 60 + minute - offset) * 60_000 + second
    }

    /// Parses seconds, such as `05` or `05.250`, into milliseconds.
    private static func seconds(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard let whole = two(parts[0], below: 60), parts.count <= 2 else { return nil }
        guard parts.count == 2 else { return whole * 1_000 }
        guard (1...3).contains(parts[1].utf8.count) else { return nil }
        let padded = parts[1] + String(repeating: "0", count: 3 - parts[1].utf8.count)
        return digits(padded[...]).map { whole * 1_000 + $0 }
    }

    /// Parses a zone, such as `+01:00`, into minutes ahead of UTC.
    private static func offset(_ zone: Substring) -> Int64? {
        if zone.isEmpty || zone == "Z" { return 0 }
        let parts = zone.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
        guard
            zone.first == "+" || zone.first == "-", parts.count == 2, let hours = two(parts[0], below: 15),
            let minutes = two(parts[1], below: 60)
        else { return nil }
        return (hours * 60 + minutes) * (zone.first == "-" ? -1 : 1)
    }

    private static func two(_ text: Substring, below limit: Int64) -> Int64? {
        guard text.utf8.count == 2, let number = digits(text), number < limit else { return nil }
        return number
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int64(text)
    }
}
