/// An instant, in milliseconds since 1970-01-01 UTC, as every date on the wire is written.
///
/// The core never asks what time it is: an instant always arrives as an argument.
package struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970; may be negative.
    package var milliseconds: Int64

    /// The instant so many milliseconds after 1970.
    package init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The instant so many whole seconds after 1970.
    package init(seconds: Int64) {
        self.milliseconds = seconds * 1_000
    }

    /// The same instant without its fraction of a second: purchase and expiry dates are whole seconds
    /// (docs/api/payloads.md).
    package var wholeSecond: Timestamp {
        let remainder = milliseconds % 1_000
        return Timestamp(milliseconds: milliseconds - (remainder < 0 ? remainder + 1_000 : remainder))
    }

    /// The instant so many milliseconds later, or earlier when negative.
    package func advanced(milliseconds delta: Int64) -> Timestamp {
        Timestamp(milliseconds: milliseconds + delta)
    }

    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Timestamp: Codable {
    /// Reads a bare number of milliseconds.
    package init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a bare number of milliseconds.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
