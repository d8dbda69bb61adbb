import TillCore

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
    var words: String { "\(date), \(second == 0 ? time : timeWithSeconds) UTC" }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
