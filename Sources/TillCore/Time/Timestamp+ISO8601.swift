import TillCalendar

extension Timestamp {
    /// The instant as ISO 8601 text in UTC, in whole seconds: `2026-01-31T18:30:00Z`. It is for display only; payloads
    /// have milliseconds.
    package var iso8601: String {
        let seconds = wholeSecond.milliseconds / 1_000
        let days = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
        let time = seconds - days * 86_400
        let date = CivilDate(daysSince1970: days)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(date.year)-\(two(date.month))-\(two(date.day))"
            + "T\(two(time / 3_600)):\(two(time / 60 % 60)):\(two(time % 60))Z"
    }
}
