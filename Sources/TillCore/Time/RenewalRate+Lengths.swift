/// The lengths of periods at a renewal rate.
extension RenewalRate {
    private enum Length: Hashable {
        case calendar
        /// The milliseconds of a week and of a month. Longer periods are multiples of the month.
        case scaled(week: Int64, month: Int64)
        /// Every period has the same length.
        case flat(Int64)
    }

    /// The rate for the number in a `.storekit` file (`_timeRate`); nil for an unknown number.
    package init?(xcode number: Int) {
        self.init(rawValue: number == 0 ? RenewalRate.calendar.rawValue : "xcode-\(number)")
    }

    private var length: Length {
        switch self {
        case .calendar: .calendar
        case .sandbox3Minutes: Self.minutes(3, 3)
        case .sandbox5Minutes, .xcode13: Self.minutes(3, 5)
        case .sandbox15Minutes, .xcode12: Self.minutes(5, 15)
        case .sandbox30Minutes, .xcode11: Self.minutes(10, 30)
        case .sandbox1Hour, .xcode10: Self.minutes(15, 60)
        case .testFlight: .flat(86_400_000)
        case .xcode15: .scaled(week: 10_000, month: 30_000)
        case .xcode1: Self.days(3_600)
        case .xcode2: Self.days(1_800)
        case .xcode3: Self.days(300)
        case .xcode4: Self.days(60)
        case .xcode5: Self.days(30)
        case .xcode6: Self.days(1)
        case .xcode1000: .flat(900_000)
        case .xcode1001: .flat(300_000)
        case .xcode1002: .flat(60_000)
        case .xcode1003: .flat(30_000)
        case .xcode1004: .flat(10_000)
        case .xcode1005: .flat(2_000)
        }
    }

    private static func minutes(_ week: Int64, _ month: Int64) -> Length {
        .scaled(week: week * 60_000, month: month * 60_000)
    }

    /// The lengths at a rate that older versions of Xcode used: a day lasts a number of seconds, and a month has 30
    /// such days.
    private static func days(_ seconds: Int64) -> Length {
        .scaled(week: 7 * seconds * 1_000, month: 30 * seconds * 1_000)
    }

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
