import Testing
import TillCore
import TillShop

/// Times as users write them on the command line.
@Suite("Time expressions")
struct TimeExpressionTests {
    @Test(
        "An instant is read from a date or a time",
        arguments: [
            ("1970-01-01", 0), ("2026-03-01", 1_772_323_200_000), ("2026-03-01T10:00:00Z", 1_772_359_200_000),
            ("2026-03-01 10:00", 1_772_359_200_000), ("2026-03-01T10:00:00+01:00", 1_772_355_600_000),
            ("2026-03-01T10:00:00-08:00", 1_772_388_000_000), ("2026-03-01T10:00:00.5Z", 1_772_359_200_500),
            ("2024-02-29", 1_709_164_800_000), ("2000-02-29", 951_782_400_000), ("1772323200000", 1_772_323_200_000),
            ("2026-12-31T23:59:59.999Z", 1_798_761_599_999),
        ]
    )
    func instants(text: String, milliseconds: Int64) {
        #expect(TimeExpression(text) == .instant(Timestamp(milliseconds: milliseconds)))
    }

    @Test("A formatted instant is read as the same instant", arguments: [0, 951_782_400, 1_709_164_799, 4_102_444_799])
    func roundTrip(seconds: Int64) {
        let instant = Timestamp(seconds: seconds)
        #expect(TimeExpression.instant(instant.iso8601) == instant)
    }

    @Test(
        "A calendar duration is read",
        arguments: [
            ("1mo", Period(1, .month)), ("P1M", Period(1, .month)), ("P1Y", Period(1, .year)), ("2w", Period(2, .week)),
            ("16d", Period(16, .day)), ("1year", Period(1, .year)), ("3months", Period(3, .month)),
        ]
    )
    func periods(text: String, period: Period) {
        #expect(TimeExpression(text) == .period(period))
    }

    @Test(
        "A duration in hours, minutes or seconds is read",
        arguments: [
            ("36h", 129_600_000), ("90m", 5_400_000), ("1h30m", 5_400_000), ("PT36H", 129_600_000),
            ("PT1H30M", 5_400_000), ("45s", 45_000), ("12hours", 43_200_000), ("5min", 300_000),
        ]
    )
    func lengths(text: String, milliseconds: Int64) {
        #expect(TimeExpression(text) == .milliseconds(milliseconds))
    }

    @Test(
        "Any other text is rejected",
        arguments: [
            "", "1", "mo", "0d", "0h", "-1d", "1.5h", "1d12h", "12h1d", "1000d", "P0M", "P1M2D", "PT", "P", "1x",
            "tomorrow",
            "next", "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31", "26-04-01", "2026-4-1", "2026-03-01T",
            "2026-03-01T24:00:00Z", "2026-03-01T10:60:00Z", "2026-03-01T10:00:00+1", "2026-03-01T10:00:00X",
            "2026-03-01T10:00:00.1234Z", "2026-03-01T10", "١mo", "PT1D", "9999999999h",
        ]
    )
    func nonsense(text: String) {
        #expect(TimeExpression(text) == nil)
    }
}
