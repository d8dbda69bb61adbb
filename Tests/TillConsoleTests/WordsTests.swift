import Testing

@testable import TillConsole

/// What stands beside a date is what can be read off both.
@Suite("Distances in words")
struct WordsTests {
    @Test(
        "Fractions of a second do not count",
        arguments: [
            (750, 3_600_000, "in 1 hour"), (1_800_000_000, 1_796_400_999, "1 hour ago"), (1_999, 2_000, "in 1 second"),
            (1_000, 1_999, "now"), (-1, 0, "in 1 second"), (-1_000, -1, "now"), (0, 90_061_000, "in 1 day 1 hour"),
        ] as [(Int64, Int64, String)]
    )
    func fractions(now: Int64, instant: Int64, words: String) {
        #expect(Words.distance(from: now, to: instant) == words)
    }

    @Test("A leap is as long as its two dates are apart")
    func length() {
        #expect(Words.length(from: 1_000_999, to: 2_593_000_000) == "30 days")
        #expect(Words.length(from: 500, to: 3_600_000) == "1 hour")
    }

    @Test(
        "Years are those of the calendar",
        arguments: [
            // 28 Sep 2027, an advance year later, and sixty.
            (1_822_089_600_000, 1_853_712_000_000, "1 year"), (1_822_089_600_000, 3_715_545_600_000, "60 years"),
            (1_822_089_600_000, 1_853_798_400_000, "1 year 1 day"), (1_822_089_600_000, 1_853_625_600_000, "365 days"),
        ] as [(Int64, Int64, String)]
    )
    func years(from: Int64, to: Int64, words: String) {
        #expect(Words.length(from: from, to: to) == words)
        #expect(Words.distance(from: to, to: from) == "\(words) ago")
    }

    @Test(
        "Names of programs are read as people would say them",
        arguments: [
            ("notificationUUID", "Notification UUID"), ("removeFromCRL", "Remove from CRL"), ("http500", "Http500"),
            ("GRACE_PERIOD", "Grace period"), ("UNSUCCESSFUL_HTTP_RESPONSE_CODE", "Unsuccessful HTTP response code"),
        ]
    )
    func names(word: String, words: String) {
        #expect(Words.sentence(word) == words)
    }

    @Test("No two instants are too far apart")
    func far() {
        #expect(Words.distance(from: .min, to: .max).hasPrefix("in "))
        #expect(Words.distance(from: .max, to: .min).hasSuffix(" ago"))
    }
}
