import Testing

@testable import TillConsole

/// Dates, durations and identifiers as words.
@Suite("Distances in words")
struct WordsTests {
    @Test(
        "Fractions of a second are ignored",
        arguments: [
            (750, 3_600_000, "in 1 hour"), (1_800_000_000, 1_796_400_999, "1 hour ago"), (1_999, 2_000, "in 1 second"),
            (1_000, 1_999, "now"), (-1, 0, "in 1 second"), (-1_000, -1, "now"), (0, 90_061_000, "in 1 day 1 hour"),
        ] as [(Int64, Int64, String)]
    )
    func fractions(now: Int64, instant: Int64, words: String) {
        #expect(Words.distance(from: now, to: instant) == words)
    }

    @Test("The length of an advance is the distance between its dates")
    func length() {
        #expect(Words.length(from: 1_000_999, to: 2_593_000_000) == "30 days")
        #expect(Words.length(from: 500, to: 3_600_000) == "1 hour")
    }

    @Test(
        "Years are calendar years",
        arguments: [
            // Spans from 28 Sep 2027: a year with a leap day, sixty years, and a year plus or minus a day.
            (1_822_089_600_000, 1_853_712_000_000, "1 year"), (1_822_089_600_000, 3_715_545_600_000, "60 years"),
            (1_822_089_600_000, 1_853_798_400_000, "1 year 1 day"), (1_822_089_600_000, 1_853_625_600_000, "365 days"),
        ] as [(Int64, Int64, String)]
    )
    func years(from: Int64, to: Int64, words: String) {
        #expect(Words.length(from: from, to: to) == words)
        #expect(Words.distance(from: to, to: from) == "\(words) ago")
    }

    @Test(
        "Identifiers are split into words",
        arguments: [
            ("notificationUUID", "Notification UUID"), ("removeFromCRL", "Remove from CRL"), ("http500", "HTTP 500"),
            ("aaCompromise", "AA compromise"), ("GRACE_PERIOD", "Grace period"),
            ("UNSUCCESSFUL_HTTP_RESPONSE_CODE", "Unsuccessful HTTP response code"),
        ]
    )
    func names(word: String, words: String) {
        #expect(Words.sentence(word) == words)
    }

    @Test("Any two dates have a distance")
    func far() {
        #expect(Words.distance(from: .min, to: .max).hasPrefix("in "))
        #expect(Words.distance(from: .max, to: .min).hasSuffix(" ago"))
    }
}
