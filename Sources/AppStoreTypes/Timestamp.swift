/// An instant, in milliseconds since 1970-01-01 UTC, like every date on the wire.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970; negative before 1970.
    public var milliseconds: Int64

    /// The instant that is this many milliseconds after 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The instant that is this many seconds after 1970.
    public init(seconds: Int64) {
        let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000)
        self.milliseconds = isTooMuch ? (seconds < 0 ? .min : .max) : product
    }

    /// The same instant without the fraction of a second, because purchase and expiry dates are whole seconds
    /// (docs/api/payloads.md).
    public var wholeSecond: Timestamp {
        let remainder = milliseconds % 1_000
        return advanced(milliseconds: -(remainder < 0 ? remainder + 1_000 : remainder))
    }

    /// The instant a number of milliseconds later, or earlier if the number is negative. The result is limited to the
    /// range of a 64-bit number.
    public func advanced(milliseconds delta: Int64) -> Timestamp {
        let (sum, isTooMuch) = milliseconds.addingReportingOverflow(delta)
        return Timestamp(milliseconds: isTooMuch ? (delta < 0 ? .min : .max) : sum)
    }

    /// Whether an instant is earlier than another.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

extension Timestamp: Codable {
    /// Reads a number of milliseconds.
    public init(from decoder: any Decoder) throws {
        milliseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes a number of milliseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(milliseconds)
    }
}
