import TillCalendar

/// An instant, in milliseconds since 1970-01-01 UTC, like every date on the wire.
///
/// The core never reads a clock. Callers always pass the instant.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970; negative before 1970.
    package var milliseconds: Int64

    /// The instant that is this many milliseconds after 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The instant that is this many seconds after 1970.
    package init(seconds: Int64) {
        let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000)
        self.milliseconds = isTooMuch ? (seconds < 0 ? .min : .max) : product
    }

    /// The same instant without the fraction of a second, because purchase and expiry dates are whole seconds
    /// (docs/api/payloads.md).
    package var wholeSecond: Timestamp {
        let remainder = milliseconds % 1_000
        return advanced(milliseconds: -(remainder < 0 ? remainder + 1_000 : remainder))
    }

    /// The instant a number of milliseconds later, or earlier if the number is negative. The result is limited to the
    /// range of a 64-bit number.
    package func advanced(milliseconds delta: Int64) -> Timestamp {
        let (sum, isTooMuch) = milliseconds.addingReportingOverflow(delta)
        return Timestamp(milliseconds: isTooMuch ? (delta < 0 ? .min : .max) : sum)
    }

    /// The instant as ISO 8601 text in UTC, in whole seconds: `2026-01-31T18:30:00Z`. It is for display only; payloads
    /// have milliseconds.
    package var iso8601: String {
        let seconds = wholeSecond.milliseconds / 1_000
        let days = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
        let time = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
            + "T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Timestamp: Codable {
    /// Reads a number of milliseconds.
    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a number of milliseconds.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
