import Foundation
import TillCore
import TillShop

/// Formats dates, durations and money for people.
enum Words {
    /// A date for `{{>time}}`: formatted for people and for machines, with its distance from `now`. It is `nothing`
    /// without a date. Dates within an hour of `now` have seconds.
    ///
    /// - Parameter isPrecise: whether the date has seconds and milliseconds that matter, as in a log.
    static func time(_ instant: Timestamp?, from now: Timestamp? = nil, isPrecise: Bool = false) -> PageValue {
        guard let instant else { return .nothing }
        let isNear = now.map { abs($0.milliseconds / 1_000 - instant.milliseconds / 1_000) < 3_600 } ?? false
        return [
            "iso": instant.iso8601,
            "words": isPrecise
                ? UTCDate(instant).preciseWords
                : Self.instant(instant.milliseconds, withSeconds: isNear && now != instant),
            "away": now.map { distance(from: $0.milliseconds, to: instant.milliseconds) },
        ]
    }

    /// `31 Jan 2026, 18:30 UTC`, or `31 Jan 2026, 18:30:09 UTC`.
    static func instant(_ milliseconds: Int64, withSeconds: Bool = false) -> String {
        let date = UTCDate(Timestamp(milliseconds: milliseconds))
        return withSeconds ? date.words : "\(date.date), \(date.time) UTC"
    }

    /// A sentence with its ISO 8601 dates formatted for people.
    static func datesInWords(_ sentence: String) -> String {
        sentence.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) { match in
            guard case .instant(let instant)? = TimeExpression(String(match.output)) else {
                return String(match.output)
            }
            return Self.instant(instant.milliseconds)
        }
    }

    /// `in 3 days`, `2 hours ago`, `now`.
    static func distance(from now: Int64, to instant: Int64) -> String {
        // Ignores fractions of a second, so that the distance matches the dates on the page.
        let (from, to) = (wholeSeconds(now), wholeSeconds(instant))
        if to == from { return "now" }
        let words = length(from: now, to: instant)
        return to > from ? "in \(words)" : "\(words) ago"
    }

    /// The time between two dates, ignoring fractions of a second.
    static func length(from: Int64, to: Int64) -> String {
        let (early, late) = (min(from, to), max(from, to))
        let seconds = wholeSeconds(late) - wholeSeconds(early)
        if let words = years(from: wholeSeconds(early), to: wholeSeconds(late)) { return words }
        return duration(Int64(clamping: min(seconds.magnitude, UInt64(Int64.max) / 1_000)) * 1_000)
    }

    /// Calendar years and days; nil for less than a year and for dates beyond the year 9999.
    private static func years(from: Int64, to: Int64) -> String? {
        guard abs(from) < 253_402_300_800, abs(to) < 253_402_300_800 else { return nil }
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        let (start, end) = (Date(timeIntervalSince1970: Double(from)), Date(timeIntervalSince1970: Double(to)))
        let parts = calendar.dateComponents([.year, .day], from: start, to: end)
        guard let years = parts.year, let days = parts.day, years > 0 else { return nil }
        return count(years, "year") + (days == 0 ? "" : " \(count(days, "day"))")
    }

    /// The whole seconds in a number of milliseconds, rounded down even if the number is negative.
    private static func wholeSeconds(_ milliseconds: Int64) -> Int64 {
        let (seconds, rest) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
        return rest < 0 ? seconds - 1 : seconds
    }

    /// A duration in its two largest units: `3 days 4 hours`.
    static func duration(_ milliseconds: Int64) -> String {
        let units: [(name: String, length: Int64)] = [
            ("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1),
        ]
        var rest = milliseconds / 1_000
        guard let first = units.firstIndex(where: { rest >= $0.length }) else { return "\(milliseconds) ms" }
        var parts: [String] = []
        for unit in units[first...].prefix(2) {
            let number = rest / unit.length
            rest -= number * unit.length
            if number > 0 { parts.append(count(Int(number), unit.name)) }
        }
        return parts.joined(separator: " ")
    }

    /// `500 ms`, `1.5 s`, `1 minute`.
    static func exactly(_ milliseconds: Int64) -> String {
        milliseconds % 1_000 == 0 && milliseconds > 0 ? duration(milliseconds) : "\(milliseconds) ms"
    }

    /// `1 day`, `2 days`.
    static func count(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

    /// Formats thousandths of a percent: `37.5 %`, `0.03 %`.
    static func percent(_ thousandths: Int) -> String { "\(self.thousandths(Int64(thousandths))) %" }

    /// Formats thousandths: `37.5`, `0.03`.
    static func thousandths(_ number: Int64) -> String {
        var decimals = String(number % 1_000 + 1_000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(number / 1_000)\(decimals.isEmpty ? "" : ".\(decimals)")"
    }

    /// `4.99 USD`; nil without a price.
    static func money(_ milliunits: Int64?, _ currency: String?) -> String? {
        guard let milliunits, let currency else { return nil }
        return Money(milliunits: milliunits, currency: currency).words
    }

    /// The result of a delivery attempt, with its reason: `Socket issue: connection refused by 127.0.0.1:9`.
    static func result(_ result: SendAttemptResult, _ reason: String?) -> String {
        [sentence(result.rawValue), reason].compactMap(\.self).joined(separator: ": ")
    }

    // MARK: Identifiers

    /// An identifier as words: `gracePeriodEntered` as `grace period entered`, `GRACE_PERIOD` as `grace period`.
    static func plain(_ word: String) -> String {
        var text = ""
        var before: Character?
        for letter in word {
            if letter.isUppercase, before?.isLowercase == true { text += " " }
            text += letter == "_" ? " " : letter.lowercased()
            before = letter
        }
        return text.split(separator: " ").map { abbreviations[String($0)] ?? String($0) }.joined(separator: " ")
    }

    private static let abbreviations = [
        "http": "HTTP", "tls": "TLS", "ssl": "SSL", "crl": "CRL", "uuid": "UUID", "ocsp": "OCSP", "url": "URL",
        "aa": "AA", "ca": "CA", "http500": "HTTP 500",
    ]

    /// An identifier as words with a capital letter.
    static func sentence(_ word: String) -> String { capitalized(plain(word)) }

    static func capitalized(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() }
}

/// A UTC date, formatted for people.
struct UTCDate: Sendable {
    let year: Int
    private let month: Int
    private let day: Int
    private let hour: Int
    private let minute: Int
    private let second: Int

    init(_ instant: Timestamp) {
        let parts = instant.iso8601.split { "-T:Z".contains($0) }.compactMap { Int($0) }
        guard parts.count == 6 else { preconditionFailure("\(instant.iso8601) is not a date of six numbers") }
        (year, month, day) = (parts[0], parts[1], parts[2])
        (hour, minute, second) = (parts[3], parts[4], parts[5])
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `5 Feb`
    var dayAndMonth: String { "\(day) \(Self.months[month - 1])" }

    /// `5 Feb 2026`
    var date: String { "\(dayAndMonth) \(year)" }

    /// `14:05`
    var time: String { "\(Self.two(hour)):\(Self.two(minute))" }

    /// `14:05:09`
    var timeWithSeconds: String { "\(time):\(Self.two(second))" }

    /// `5 Feb 2026, 14:05 UTC`
    var words: String { second == 0 ? "\(date), \(time) UTC" : preciseWords }

    /// `5 Feb 2026, 14:05:00 UTC`
    var preciseWords: String { "\(date), \(timeWithSeconds) UTC" }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
