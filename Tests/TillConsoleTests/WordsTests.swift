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

    @Test("No two instants are too far apart")
    func far() {
        #expect(Words.distance(from: .min, to: .max).hasPrefix("in "))
        #expect(Words.distance(from: .max, to: .min).hasSuffix(" ago"))
    }
}
