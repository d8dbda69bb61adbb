import Foundation
import TillCore
import TillShop

/// Formats dates, durations and money for people.
enum Words {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A date for `{{>time}}`: formatted for people and for machines, with its distance from `now`.
    static func time(_ milliseconds: Int64?, from now: Int64? = nil) -> PageValue {
        guard let milliseconds else { return .nothing }
        return [
            "iso": .text(Timestamp(milliseconds: milliseconds).iso8601), "words": .text(instant(milliseconds)),
            "away": PageValue(now.map { distance(from: $0, to: milliseconds) }),
        ]
    }

    /// A date for `{{>time}}`, with its distance from `now`.
    static func time(_ instant: Timestamp?, from now: Timestamp? = nil) -> PageValue {
        time(instant?.milliseconds, from: now?.milliseconds)
    }

    /// `31 Jan 2026, 18:30:00 UTC`.
    static func instant(_ milliseconds: Int64) -> String {
        let iso = Timestamp(milliseconds: milliseconds).iso8601
        let parts = iso.dropLast().split(separator: "T")
        let date = parts.first?.split(separator: "-") ?? []
        guard parts.count == 2, date.count == 3, let month = Int(date[1]), let day = Int(date[2]) else { return iso }
        return "\(day) \(months[(month - 1) % 12]) \(date[0]), \(parts[1]) UTC"
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
        let rest = days == 0 ? "" : " \(days) day\(days == 1 ? "" : "s")"
        return "\(years) year\(years == 1 ? "" : "s")\(rest)"
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
            let count = rest / unit.length
            rest -= count * unit.length
            if count > 0 { parts.append("\(count) \(unit.name)\(count == 1 ? "" : "s")") }
        }
        return parts.joined(separator: " ")
    }

    /// `4.99 USD`; nil without a price.
    static func money(_ milliunits: Int64?, _ currency: String?) -> String? {
        guard let milliunits, let currency else { return nil }
        return Money(milliunits: milliunits, currency: currency).words
    }

    /// An identifier as words: `gracePeriodEntered` as `grace period entered`, `GRACE_PERIOD` as `grace period`.
    static func plain(_ word: String) -> String {
        guard word.contains(where: \.isLowercase) else {
            return word.lowercased().split(separator: "_").map { abbreviations[String($0)] ?? String($0) }
                .joined(separator: " ")
        }
        var text = ""
        var before: Character?
        for letter in word {
            if letter.isUppercase, before?.isLowercase == true { text += " " }
            text += letter.lowercased()
            before = letter
        }
        return text.split(separator: " ").map { abbreviations[String($0)] ?? String($0) }.joined(separator: " ")
    }

    private static let abbreviations = [
        "http": "HTTP", "tls": "TLS", "ssl": "SSL", "crl": "CRL", "uuid": "UUID", "ocsp": "OCSP", "url": "URL",
        "aa": "AA", "ca": "CA", "http500": "HTTP 500",
    ]

    /// An identifier as words with a capital letter.
    static func sentence(_ word: String) -> String {
        let plain = plain(word)
        return plain.prefix(1).uppercased() + plain.dropFirst()
    }
}
