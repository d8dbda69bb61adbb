import Foundation
import TillCalendar

/// The date formats of receipts and of verifyReceipt responses.
///
/// All dates are milliseconds since 1970. Fractions of a second are cut off. A date before the year 0 or after 9999 is
/// replaced with the nearest date in this range.
package enum ReceiptDate {
    /// Formats a date as in receipts: `2020-07-14T19:36:40Z`.
    package static func iso8601(_ instant: Int64) -> String {
        String(decoding: bytes(of: instant, separator: UInt8(ascii: "T"), suffix: "Z"), as: UTF8.self)
    }

    /// Formats a date in GMT as in verifyReceipt responses: `2020-07-14 19:36:40 Etc/GMT`.
    package static func gmt(_ instant: Int64) -> String {
        String(decoding: bytes(of: instant, separator: UInt8(ascii: " "), suffix: " Etc/GMT"), as: UTF8.self)
    }

    /// Formats a date in Pacific time, with daylight saving time: `2020-07-14 12:36:40 America/Los_Angeles`.
    package static func pacific(_ instant: Int64) -> String {
        let instant = within(instant)
        let offset = pacificZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant) / 1_000))
        let shifted = instant + Int64(offset) * 1_000
        let text = bytes(of: shifted, separator: UInt8(ascii: " "), suffix: " America/Los_Angeles")
        return String(decoding: text, as: UTF8.self)
    }

    private static let pacificZone: TimeZone = {
        guard let zone = TimeZone(identifier: "America/Los_Angeles") else {
            preconditionFailure("no time zone data for America/Los_Angeles: install tzdata")
        }
        return zone
    }()

    /// The dates that have a text: from 0000-01-01 to the last millisecond of 9999.
    private static let spellable: ClosedRange<Int64> = -62_167_219_200_000...253_402_300_799_999

    private static func within(_ instant: Int64) -> Int64 {
        min(max(instant, spellable.lowerBound), spellable.upperBound)
    }

    /// Formats a date as `yyyy-MM-dd`, the separator, `HH:mm:ss` and the suffix.
    static func bytes(of instant: Int64, separator: UInt8, suffix: StaticString) -> [UInt8] {
        let instant = within(instant)
        let (seconds, days) = (floorDivide(instant, 1_000), floorDivide(instant, 86_400_000))
        let time = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        var text: [UInt8] = []
        text.reserveCapacity(19 + suffix.utf8CodeUnitCount)
        func two(_ number: Int64, _ mark: UInt8?) {
            text.append(UInt8(ascii: "0") + UInt8(number / 10))
            text.append(UInt8(ascii: "0") + UInt8(number % 10))
            if let mark { text.append(mark) }
        }
        let (dash, colon) = (UInt8(ascii: "-"), UInt8(ascii: ":"))
        two(date.year / 100, nil)
        two(date.year % 100, dash)
        two(date.month, dash)
        two(date.day, separator)
        two(time / 3_600, colon)
        two(time / 60 % 60, colon)
        two(time % 60, nil)
        suffix.withUTF8Buffer { text.append(contentsOf: $0) }
        return text
    }

    /// Parses `yyyy-MM-ddTHH:mm:ss`, with or without a fraction, followed by `Z` or an offset (`+0300`, `-07:00`).
    /// Returns nil for any other text and for an invalid date or time. Fractions below a millisecond are cut off.
    static func instant(of text: ArraySlice<UInt8>) -> Int64? {
        // No known date text is this long.
        guard text.count <= 64 else { return nil }
        var digits = Digits(rest: text)
        guard
            let year = digits.number(4), digits.skip("-"), let month = digits.number(2), digits.skip("-"),
            let day = digits.number(2), digits.skip("T"), let hour = digits.number(2), digits.skip(":"),
            let minute = digits.number(2), digits.skip(":"), let second = digits.number(2),
            let date = CivilDate(year: year, month: month, day: day), hour < 24, minute < 60, second < 60,
            let fraction = digits.fraction(), let offset = digits.offset(), digits.rest.isEmpty
        else { return nil }
        let seconds = date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset
        return seconds * 1_000 + fraction
    }

    private static func floorDivide(_ number: Int64, _ divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    /// Parses a date's text.
    private struct Digits {
        var rest: ArraySlice<UInt8>

        mutating func number(_ count: Int) -> Int64? {
            guard rest.count >= count else { return nil }
            var value: Int64 = 0
            for byte in rest.prefix(count) {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            rest = rest.dropFirst(count)
            return value
        }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: mark) else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Reads a fraction of a second in milliseconds; 0 if the next character is not a dot.
        mutating func fraction() -> Int64? {
            guard skip(".") else { return 0 }
            var (value, weight, count): (Int64, Int64, Int) = (0, 100, 0)
            while let digit = number(1) {
                value += digit * weight
                weight /= 10
                count += 1
            }
            return count > 0 ? value : nil
        }

        /// Reads an offset from UTC in seconds, positive to the east.
        mutating func offset() -> Int64? {
            if skip("Z") { return 0 }
            let sign: Int64 = skip("+") ? 1 : -1
            guard sign == 1 || skip("-"), let hours = number(2) else { return nil }
            _ = skip(":")
            guard let minutes = number(2), hours < 24, minutes < 60 else { return nil }
            return sign * (hours * 3_600 + minutes * 60)
        }
    }
}
