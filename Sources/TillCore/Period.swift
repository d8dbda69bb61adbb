import Foundation

/// A length of time as the store counts it: calendar days, weeks, months or years, ISO 8601 on the wire (`P1M`).
package struct Period: Hashable, Sendable {
    /// What is counted.
    package enum Unit: Character, Sendable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    /// What is counted.
    package var unit: Unit
    /// How many; at least 1.
    package var count: Int

    /// So many of a unit.
    package init(_ count: Int, _ unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// Reads `P1M`, `P2W`, `P3D`, `P1Y`: one unit, one to three digits, at least 1. Anything else is nil.
    package init?(iso8601 text: String) {
        let digits = text.dropFirst().dropLast()
        guard
            text.first == "P", let last = text.last, let unit = Unit(rawValue: last),
            (1...3).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }),
            let count = Int(digits), count >= 1
        else { return nil }
        self.init(count, unit)
    }

    /// `P1M` and the like.
    package var iso8601: String { "P\(count)\(unit.rawValue)" }

    /// The length of so many of these in a row: `P1M` three times is `P3M`.
    package func times(_ factor: Int) -> Period {
        let (product, isTooMuch) = count.multipliedReportingOverflow(by: factor)
        return Period(isTooMuch ? ((count < 0) == (factor < 0) ? .max : .min) : product, unit)
    }

    /// The number of months in it, or nil for days and weeks.
    package var months: Int? {
        switch unit {
        case .day, .week: nil
        case .month: count
        case .year: times(12).count
        }
    }

    /// Whether two periods are the same length for a change of plan: `P12M` and `P1Y` are (docs/api/payloads.md).
    package func isAsLong(as other: Period) -> Bool {
        if let mine = months, let theirs = other.months { return mine == theirs }
        return days == other.days && days != nil
    }

    private var days: Int? {
        switch unit {
        case .day: count
        case .week: times(7).count
        case .month, .year: nil
        }
    }

    /// The end of a period that starts at an instant.
    ///
    /// The period is added to the wall time in Pacific time, so that a subscription renews at the same hour of the
    /// day across a change of the clocks. A month that is too short ends on its last day; with an anchor day the
    /// next longer month returns to it (31 January, 28 February, 31 March).
    ///
    /// - Parameters:
    ///   - start: when the period begins.
    ///   - anchorDay: the day of the month, 1 to 31, on which the present run of periods began; nil lets the day drift.
    package func end(from start: Timestamp, anchorDay: Int? = nil) -> Timestamp {
        let calendar = Period.pacific
        // Stored numbers may be anything; the calendar is asked nothing that it could not answer.
        let start = min(max(start.milliseconds, -Period.mostMilliseconds), Period.mostMilliseconds)
        let count = min(max(count, -Period.mostOfAUnit), Period.mostOfAUnit)
        let date = Date(timeIntervalSince1970: Double(start) / 1_000)
        let shifted: Date? =
            switch unit {
            case .day: calendar.date(byAdding: .day, value: count, to: date)
            case .week: calendar.date(byAdding: .day, value: count * 7, to: date)
            case .month: Period.addingMonths(count, to: date, anchorDay: anchorDay)
            case .year: Period.addingMonths(count * 12, to: date, anchorDay: anchorDay)
            }
        return Timestamp(milliseconds: Int64(((shifted ?? date).timeIntervalSince1970 * 1_000).rounded()))
    }

    /// Some 35,000 years.
    private static let mostMilliseconds: Int64 = 1 << 50
    /// More days, weeks, months or years than any product or setting has.
    private static let mostOfAUnit = 1_000_000

    /// The day of the month, in Pacific time, on which an instant falls: the anchor of a run of periods.
    package static func anchorDay(of instant: Timestamp) -> Int {
        pacific.component(.day, from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))
    }

    /// The anchor day of the period after this one: months keep that of their run, days and weeks begin a run where
    /// they end (a free week from the first, then a month from the eighth).
    ///
    /// - Parameters:
    ///   - anchorDay: that of the run to which this period belongs.
    ///   - end: when this period ends.
    package func anchorDay(after anchorDay: Int, until end: Timestamp) -> Int {
        months == nil ? Period.anchorDay(of: end) : anchorDay
    }

    private static func addingMonths(_ months: Int, to date: Date, anchorDay: Int?) -> Date? {
        guard let clamped = pacific.date(byAdding: .month, value: months, to: date) else { return nil }
        guard let anchorDay else { return clamped }
        let day = pacific.component(.day, from: clamped)
        // Most months stay on their day; the calendar is asked no more than it must be.
        guard day != anchorDay, let range = pacific.range(of: .day, in: .month, for: clamped) else { return clamped }
        let wanted = min(anchorDay, range.count)
        return wanted == day ? clamped : pacific.date(byAdding: .day, value: wanted - day, to: clamped)
    }

    private static let pacific: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        guard let zone = TimeZone(identifier: "America/Los_Angeles") else {
            preconditionFailure("no time zone data for America/Los_Angeles: install tzdata")
        }
        calendar.timeZone = zone
        return calendar
    }()
}

extension Period: Codable {
    /// Reads the ISO 8601 form.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let period = Period(iso8601: text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(text) is not a period")
        }
        self = period
    }

    /// Writes the ISO 8601 form.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(iso8601)
    }
}
