/// The subscription renewal rate, which determines how long a month lasts: a calendar month in Pacific time, or an
/// accelerated month of the sandbox, TestFlight or Xcode (docs/api/lifecycle.md, Rates).
package struct RenewalRate: Hashable, Sendable {
    /// The name in the settings, such as `calendar`, `sandbox-5-minutes`, `testflight` or `xcode-13`.
    package let name: String
    private let length: Length

    private enum Length: Hashable, Sendable {
        case calendar
        /// The milliseconds of a week and of a month. Longer periods are multiples of the month.
        case scaled(week: Int64, month: Int64)
        /// Every period has the same length.
        case flat(Int64)
    }

    /// Calendar months in Pacific time.
    package static let calendar = RenewalRate(name: "calendar", length: .calendar)

    /// The default rate of Apple's sandbox, at which a month lasts five minutes.
    package static let sandbox = RenewalRate(name: "sandbox-5-minutes", length: minutes(3, 5))

    /// All rates, in the order in which the documentation lists them.
    package static let all: [RenewalRate] =
        [
            calendar,
            RenewalRate(name: "sandbox-3-minutes", length: minutes(3, 3)),
            sandbox,
            RenewalRate(name: "sandbox-15-minutes", length: minutes(5, 15)),
            RenewalRate(name: "sandbox-30-minutes", length: minutes(10, 30)),
            RenewalRate(name: "sandbox-1-hour", length: minutes(15, 60)),
            RenewalRate(name: "testflight", length: .flat(86_400_000)),
        ] + xcode.keys.sorted().compactMap { xcode[$0] }

    /// The rate with this name; nil if there is none.
    package init?(name: String) {
        guard let found = RenewalRate.all.first(where: { $0.name == name }) else { return nil }
        self = found
    }

    /// The rate for the number in a `.storekit` file (`_timeRate`); nil for an unknown number.
    package init?(xcode number: Int) {
        if number == 0 {
            self = .calendar
        } else if let found = RenewalRate.xcode[number] {
            self = found
        } else {
            return nil
        }
    }

    private init(name: String, length: Length) {
        self.name = name
        self.length = length
    }

    private static let xcode: [Int: RenewalRate] = {
        // The seconds of a day, for the numbers that older versions of Xcode used. A month has 30 such days.
        let days: [Int: Int64] = [1: 3_600, 2: 1_800, 3: 300, 4: 60, 5: 30, 6: 1]
        let flat: [Int: Int64] = [1_000: 900, 1_001: 300, 1_002: 60, 1_003: 30, 1_004: 10, 1_005: 2]
        var rates: [Int: RenewalRate] = [:]
        for (number, seconds) in days {
            let scaled = Length.scaled(week: 7 * seconds * 1_000, month: 30 * seconds * 1_000)
            rates[number] = RenewalRate(name: "xcode-\(number)", length: scaled)
        }
        for (number, seconds) in flat {
            rates[number] = RenewalRate(name: "xcode-\(number)", length: .flat(seconds * 1_000))
        }
        rates[10] = RenewalRate(name: "xcode-10", length: minutes(15, 60))
        rates[11] = RenewalRate(name: "xcode-11", length: minutes(10, 30))
        rates[12] = RenewalRate(name: "xcode-12", length: minutes(5, 15))
        rates[13] = RenewalRate(name: "xcode-13", length: minutes(3, 5))
        rates[15] = RenewalRate(name: "xcode-15", length: .scaled(week: 10_000, month: 30_000))
        precondition(rates.count == 17, "a rate of Xcode's is missing or occurs twice")
        return rates
    }()

    private static func minutes(_ week: Int64, _ month: Int64) -> Length {
        .scaled(week: week * 60_000, month: month * 60_000)
    }

    // MARK: Scaled lengths

    /// Whether periods are calendar months and weeks.
    package var isCalendar: Bool { length == .calendar }

    /// The end of a period that begins at `start`.
    ///
    /// - Parameters:
    ///   - anchorDay: The day of the month on which the run of periods began; nil if the day may drift.
    ///   - anchorTime: The time of day at which the run began (`Period.end`). Only calendar periods use these two
    ///     values.
    package func end(
        of period: Period,
        from start: Timestamp,
        anchorDay: Int?,
        anchorTime: Int64? = nil
    ) -> Timestamp {
        switch length {
        case .calendar: period.end(from: start, anchorDay: anchorDay, anchorTime: anchorTime)
        case .flat(let each): start.advanced(milliseconds: each)
        case .scaled(let week, let month): start.advanced(milliseconds: Self.scaled(period, week: week, month: month))
        }
    }

    private static func scaled(_ period: Period, week: Int64, month: Int64) -> Int64 {
        let count = bounded(period.count)
        return switch period.unit {
        // If a week lasts three minutes, three days last about two minutes.
        case .day: wholeSeconds(week * 2 / 3 * count / 3)
        case .week: week * count
        case .month: month * count
        case .year: month * 12 * count
        }
    }

    /// The end of a grace period that begins at the end of a paid period. It lasts a number of calendar days, at most
    /// six for a weekly subscription. At accelerated rates it lasts half a month, or six sevenths of a week.
    package func endOfGrace(days: Int, period: Period, from start: Timestamp) -> Timestamp {
        let isWeekly = period == Period(1, .week)
        switch length {
        case .calendar: return Period(isWeekly ? min(days, 6) : days, .day).end(from: start)
        case .flat(let each): return start.advanced(milliseconds: each)
        case .scaled(let week, let month):
            return start.advanced(milliseconds: Self.wholeSeconds(isWeekly ? week * 6 / 7 : month / 2))
        }
    }

    /// The end of billing retry, which begins at the end of a paid period. It lasts a number of calendar days; at
    /// accelerated rates, 60 days become two months.
    package func endOfRetry(days: Int, from start: Timestamp) -> Timestamp {
        switch length {
        case .calendar: Period(days, .day).end(from: start)
        case .flat(let each): start.advanced(milliseconds: each * 2 * Self.bounded(days) / 60)
        case .scaled(_, let month): start.advanced(milliseconds: month * Self.bounded(days) / 30)
        }
    }

    /// The instant a number of calendar days later, or earlier if the number is negative. At accelerated rates a day is
    /// one thirtieth of a month in whole seconds, so it may be zero.
    ///
    /// - Parameter anchorTime: The time of day to which the result returns (`Period.end`).
    package func adding(days: Int, to start: Timestamp, anchorTime: Int64? = nil) -> Timestamp {
        switch length {
        case .calendar: Period(days, .day).end(from: start, anchorTime: anchorTime)
        case .flat(let each): start.advanced(milliseconds: Self.wholeSeconds(each * Self.bounded(days) / 30))
        case .scaled(_, let month): start.advanced(milliseconds: Self.wholeSeconds(month * Self.bounded(days) / 30))
        }
    }

    /// Limits a stored number of days or periods, because a multiplication with a length must not overflow.
    private static func bounded(_ count: Int) -> Int64 { Int64(min(max(count, -1_000_000), 1_000_000)) }

    private static func wholeSeconds(_ milliseconds: Int64) -> Int64 {
        let half: Int64 = milliseconds < 0 ? -500 : 500
        return (milliseconds + half) / 1_000 * 1_000
    }
}

extension RenewalRate: Codable {
    /// Reads the name.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let name = try container.decode(String.self)
        guard let rate = RenewalRate(name: name) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "\(name) is not a renewal rate")
        }
        self = rate
    }

    /// Writes the name.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}
