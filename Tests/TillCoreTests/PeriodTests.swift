import Testing
import TillCore
import TillTestSupport

@Suite("Periods are added in Pacific time")
struct PeriodTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let start: String
        let period: Period
        let keepsAnchor: Bool
        let ends: [String]
        var testDescription: String { "\(start) \(period.iso8601) anchor \(keepsAnchor)" }
    }

    static let table: [Row] = [
        Row(
            start: "2025-01-31T18:30:00Z",
            period: Period(1, .month),
            keepsAnchor: true,
            ends: ["2025-02-28T18:30:00Z", "2025-03-31T17:30:00Z", "2025-04-30T17:30:00Z", "2025-05-31T17:30:00Z"]
        ),
        Row(
            start: "2025-01-31T18:30:00Z",
            period: Period(1, .month),
            keepsAnchor: false,
            ends: ["2025-02-28T18:30:00Z", "2025-03-28T17:30:00Z", "2025-04-28T17:30:00Z"]
        ),
        Row(
            start: "2025-10-15T09:00:00Z",
            period: Period(1, .month),
            keepsAnchor: true,
            ends: ["2025-11-15T10:00:00Z", "2025-12-15T10:00:00Z"]
        ),
        Row(
            start: "2024-02-29T20:00:00Z",
            period: Period(1, .year),
            keepsAnchor: true,
            ends: ["2025-02-28T20:00:00Z", "2026-02-28T20:00:00Z", "2027-02-28T20:00:00Z", "2028-02-29T20:00:00Z"]
        ),
        Row(
            start: "2025-10-29T09:15:00Z",
            period: Period(1, .week),
            keepsAnchor: true,
            ends: ["2025-11-05T10:15:00Z"]
        ),
        // The period begins at 02:30 Pacific time, which does not exist on 8 March 2026.
        Row(
            start: "2026-03-05T10:30:00Z",
            period: Period(3, .day),
            keepsAnchor: true,
            ends: ["2026-03-08T10:30:00Z", "2026-03-11T09:30:00Z"]
        ),
        // The App Store's observed grace period of six days, across the end of daylight saving time.
        Row(
            start: "2022-11-01T09:15:38Z",
            period: Period(6, .day),
            keepsAnchor: true,
            ends: ["2022-11-07T10:15:38Z"]
        ),
    ]

    @Test("Each period ends on the date in the table", arguments: table)
    func dates(_ row: Row) {
        var instant = Timestamp(day: row.start)
        let anchor = row.keepsAnchor ? Period.anchorDay(of: instant) : nil
        let time = Period.timeOfDay(of: instant)
        for end in row.ends {
            instant = row.period.end(from: instant, anchorDay: anchor, anchorTime: time)
            #expect(instant == Timestamp(day: end))
        }
    }

    /// Days on which one Pacific hour does not exist (March) or occurs twice (November).
    static let transitions = [
        "2024-03-10", "2025-03-09", "2026-03-08", "2027-03-14", "2028-03-12",
        "2024-11-03", "2025-11-02", "2026-11-01", "2027-11-07", "2028-11-05",
    ]

    @Test(
        "Over years, every period ends at the start's time of day, or an hour later if that time does not exist",
        arguments: transitions,
        [Period(3, .day), Period(1, .week), Period(1, .month), Period(1, .year)]
    )
    func timesOfDay(_ day: String, _ period: Period) {
        let (minute, hour): (Int64, Int64) = (60_000, 3_600_000)
        let dayLength = 24 * hour
        let noon = Timestamp(day: day).milliseconds
        let midnight = Timestamp(milliseconds: noon - Period.timeOfDay(of: Timestamp(milliseconds: noon)))
        // Tries many starts around the changes of daylight saving time, also within the hour that occurs twice, and
        // starts that are months earlier.
        for distance in period == Period(1, .month) ? -33...2 : -8...8 {
            for minutes in stride(from: Int64(0), to: 300, by: 30) {
                let shift = Int64(distance) * dayLength + minutes * minute
                let start = Timestamp(milliseconds: midnight.milliseconds + shift)
                let anchor = PeriodAnchor(of: start)
                var end = start
                for _ in 0..<5 {
                    end = period.end(from: end, anchorDay: anchor.day, anchorTime: anchor.time)
                    let time = Period.timeOfDay(of: end)
                    guard time != anchor.time else { continue }
                    #expect(time == anchor.time + hour, "\(start.iso8601) \(period.iso8601) \(end.iso8601)")
                    let hourEarlier = Timestamp(milliseconds: end.milliseconds - hour)
                    #expect(Period.timeOfDay(of: hourEarlier) == time - 2 * hour, "\(end.iso8601) is no missing hour")
                }
            }
        }
    }

    @Test("A period whose time of day was changed by a faster renewal rate keeps that time")
    func otherTimes() {
        let start = Timestamp(day: "2026-05-01T17:35:00Z")
        let time = Period.timeOfDay(of: Timestamp(day: "2026-05-01T17:00:00Z"))
        #expect(Period(1, .month).end(from: start, anchorTime: time) == Timestamp(day: "2026-06-01T17:35:00Z"))
        #expect(PeriodAnchor(day: 1, time: time).resumed(at: start).time == Period.timeOfDay(of: start))
    }

    @Test("A period is read from and written as ISO 8601; an invalid text is nil")
    func text() {
        for text in ["P1W", "P3D", "P2W", "P1M", "P6M", "P1Y", "P12M"] {
            #expect(Period(iso8601: text)?.iso8601 == text)
        }
        for text in ["", "P", "P0M", "1M", "P1H", "P-1M", "P1M2D", "P1234M", "p1m", "P１M"] {
            #expect(Period(iso8601: text) == nil)
        }
    }

    @Test("A year is twelve months, a week is seven days, and a month has no fixed number of days")
    func lengths() {
        #expect(Period(12, .month).isAsLong(as: Period(1, .year)))
        #expect(Period(1, .week).isAsLong(as: Period(7, .day)))
        #expect(!Period(1, .month).isAsLong(as: Period(30, .day)))
        #expect(!Period(1, .month).isAsLong(as: Period(1, .year)))
    }
}

@Suite("Instants")
struct TimestampTests {
    @Test("Arithmetic on instants saturates at the limits of the number type")
    func ends() {
        let (first, last) = (Timestamp(milliseconds: .min), Timestamp(milliseconds: .max))
        #expect(first.wholeSecond == first)
        #expect(last.wholeSecond.milliseconds == 9_223_372_036_854_775_000)
        #expect(first.advanced(milliseconds: -1) == first)
        #expect(last.advanced(milliseconds: 1) == last)
        #expect(Timestamp(seconds: .max) == last)
        #expect(Timestamp(seconds: .min) == first)
    }

    @Test(
        "An instant is written as a date, also before 1970 and on 29 February",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (1_767_225_600_999, "2026-01-01T00:00:00Z"),
            (1_709_164_800_000, "2024-02-29T00:00:00Z"), (951_782_399_000, "2000-02-28T23:59:59Z"),
            (-1_000, "1969-12-31T23:59:59Z"), (4_102_444_799_000, "2099-12-31T23:59:59Z"),
        ] as [(Int64, String)]
    )
    func text(_ milliseconds: Int64, _ text: String) {
        #expect(Timestamp(milliseconds: milliseconds).iso8601 == text)
    }

    @Test("An instant is rounded down to a whole second, also before 1970")
    func wholeSeconds() {
        #expect(Timestamp(milliseconds: 1_999).wholeSecond.milliseconds == 1_000)
        #expect(Timestamp(milliseconds: -1).wholeSecond.milliseconds == -1_000)
        #expect(Timestamp(milliseconds: -1_000).wholeSecond.milliseconds == -1_000)
    }
}
