import Foundation

/// A length of time in calendar days, weeks, months or years. The payload has the ISO 8601 form (`P1M`).
package struct Period: Hashable, Sendable {
    /// The unit of a period.
    package enum Unit: Character, Sendable {
        case day = "D"
        case week = "W"
        case month = "M"
        case year = "Y"
    }

    /// The unit of the period.
    package var unit: Unit
    /// The number of units, at least 1.
    package var count: Int

    /// A period with a number of units.
    package init(_ count: Int, _ unit: Unit) {
        self.count = count
        self.unit = unit
    }

    /// Reads texts such as `P1M`, `P2W`, `P3D` and `P1Y`: one unit and one to three digits, at least 1. Nil for any
    /// other text.
    package init?(iso8601 text: String) {
        let digits = text.dropFirst().dropLast()
        guard
            text.first == "P", let last = text.last, let unit = Unit(rawValue: last),
            (1...3).contains(digits.count), digits.allSatisfy({ ("0"..."9").contains($0) }),
            let count = Int(digits), count >= 1
        else { return nil }
        self.init(count, unit)
    }

    /// The ISO 8601 form, such as `P1M`.
    package var iso8601: String { "P\(count)\(unit.rawValue)" }

    /// The total of consecutive periods. For example, `P1M` times three is `P3M`.
    package func times(_ factor: Int) -> Period {
        let (product, isTooMuch) = count.multipliedReportingOverflow(by: factor)
        return Period(isTooMuch ? ((count < 0) == (factor < 0) ? .max : .min) : product, unit)
    }

    /// The number of months; nil for days and weeks.
    package var months: Int? {
        switch unit {
        case .day, .week: nil
        case .month: count
        case .year: times(12).count
        }
    }

    /// Whether two periods have the same length for a change of plan, such as `P12M` and `P1Y` (docs/api/payloads.md).
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

    /// The end of a period that begins at `start`.
    ///
    /// The calculation uses Pacific local time, so a subscription renews at the same hour before and after a daylight
    /// saving change. If the last month is too short, the period ends on the last day of the month. With an anchor day,
    /// the next longer month returns to that day (31 January, 28 February, 31 March).
    ///
    /// If daylight saving time skips the local time, the period ends an hour later on that day. With an anchor time,
    /// the next period returns to that time (02:30, 03:30, 02:30). If a restored anchor time occurs twice on a day, the
    /// first one is used.
    ///
    /// - Parameters:
    ///   - start: The beginning of the period.
    ///   - anchorDay: The day of the month, 1 to 31, on which the current run of periods began; nil if the day may
    ///     drift.
    ///   - anchorTime: The Pacific time of day at which the run began, in milliseconds since midnight. It is ignored if
    ///     the period does not begin at that time. Nil keeps the time of day at which the period begins.
    package func end(from start: Timestamp, anchorDay: Int? = nil, anchorTime: Int64? = nil) -> Timestamp {
        let calendar = Period.pacific
        let start = Period.bounded(start)
        let count = min(max(count, -Period.maxUnits), Period.maxUnits)
        let date = Date(timeIntervalSince1970: Double(start.milliseconds) / 1_000)
        let shifted: Date? =
            switch unit {
            case .day: calendar.date(byAdding: .day, value: count, to: date)
            case .week: calendar.date(byAdding: .day, value: count * 7, to: date)
            case .month: Period.addingMonths(count, to: date, anchorDay: anchorDay)
            case .year: Period.addingMonths(count * 12, to: date, anchorDay: anchorDay)
            }
        let end = Timestamp(milliseconds: Int64(((shifted ?? date).timeIntervalSince1970 * 1_000).rounded()))
        guard let anchorTime, Period.timeOfDay(of: end) != anchorTime, Period.begins(start, at: anchorTime) else {
            return end
        }
        return Period.instant(at: anchorTime, onDayOf: end)
    }

    // MARK: The anchor of a run of periods

    /// The Pacific time of day of an instant, in milliseconds since local midnight.
    package static func timeOfDay(of instant: Timestamp) -> Int64 {
        let local = bounded(instant).milliseconds + offset(at: instant)
        return (local % millisecondsOfDay + millisecondsOfDay) % millisecondsOfDay
    }

    /// The anchor time of the period that begins at `start`. This is the anchor time of the run, or the period's own
    /// time of day if it does not begin at the anchor time.
    package static func anchorTime(of start: Timestamp, keeping anchorTime: Int64) -> Int64 {
        begins(start, at: anchorTime) ? anchorTime : timeOfDay(of: start)
    }

    /// Whether an instant has this time of day, or is one hour later because daylight saving time skips this time.
    private static func begins(_ start: Timestamp, at time: Int64) -> Bool {
        (0..<millisecondsOfDay).contains(time)
            && (timeOfDay(of: start) == time || instant(at: time, onDayOf: start) == start)
    }

    /// The instant with this Pacific time of day on the day of another instant. It is the first one if the time occurs
    /// twice, and one hour later if daylight saving time skips the time.
    private static func instant(at time: Int64, onDayOf day: Timestamp) -> Timestamp {
        let local = bounded(day).milliseconds + offset(at: day) - timeOfDay(of: day) + time
        // If there is a daylight saving change, it is between the offsets one day earlier and one day later.
        let before = offset(at: Timestamp(milliseconds: local - millisecondsOfDay))
        let after = offset(at: Timestamp(milliseconds: local + millisecondsOfDay))
        let first = Timestamp(milliseconds: local - before)
        if offset(at: first) == before { return first }
        let second = Timestamp(milliseconds: local - after)
        return offset(at: second) == after ? second : first
    }

    /// Pacific time minus UTC, in milliseconds.
    private static func offset(at instant: Timestamp) -> Int64 {
        let date = Date(timeIntervalSince1970: Double(bounded(instant).milliseconds) / 1_000)
        return Int64(pacific.timeZone.secondsFromGMT(for: date)) * 1_000
    }

    private static let millisecondsOfDay: Int64 = 86_400_000

    /// A stored number may have any value, so values outside the calendar's range are limited to that range.
    private static func bounded(_ instant: Timestamp) -> Timestamp {
        Timestamp(milliseconds: min(max(instant.milliseconds, -maxMilliseconds), maxMilliseconds))
    }

    /// About 35,000 years, in milliseconds.
    private static let maxMilliseconds: Int64 = 1 << 50
    /// A limit that is higher than any number of days, weeks, months or years in a product or a setting.
    private static let maxUnits = 1_000_000

    /// The day of the month of an instant in Pacific time, which is the anchor day of a run that begins then.
    package static func anchorDay(of instant: Timestamp) -> Int {
        pacific.component(.day, from: Date(timeIntervalSince1970: Double(instant.milliseconds) / 1_000))
    }

    private static func addingMonths(_ months: Int, to date: Date, anchorDay: Int?) -> Date? {
        guard let clamped = pacific.date(byAdding: .month, value: months, to: date) else { return nil }
        guard let anchorDay else { return clamped }
        let day = pacific.component(.day, from: clamped)
        // The day usually stays the same; this check avoids slow calendar calls.
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
