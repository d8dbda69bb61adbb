import TillCalendar

/// Dates and waits in the headers of an answer.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// A date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7) from 1970 to 9999; nil for anything else.
    static func parse(_ text: String) -> Timestamp? {
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), let year = Int64(words[3]),
            (1_970...9_999).contains(year), let month = months.firstIndex(of: String(words[2])),
            let date = CivilDate(year: year, month: Int64(month + 1), day: day)
        else { return nil }
        let time = words[4].split(separator: ":", omittingEmptySubsequences: false).map { Int64($0) ?? -1 }
        // A second of 60 is a leap second.
        guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2])
        else { return nil }
        return Timestamp(seconds: date.daysSince1970 * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2])
    }

    /// The wait that a `Retry-After` asks for; nil for another format.
    ///
    /// Apple sends the time in milliseconds since 1970. Other servers send a number of seconds or a date.
    static func wait(_ retryAfter: String, now: Timestamp) -> Duration? {
        if let number = Int64(retryAfter) {
            let isTime = number > 100_000_000_000
            return max(.zero, isTime ? Timestamp(milliseconds: number) - now : .seconds(number))
        }
        return parse(retryAfter).map { max(.zero, $0 - now) }
    }
}
