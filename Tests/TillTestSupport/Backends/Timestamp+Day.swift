import Foundation
import TillCore

extension Timestamp {
    /// Noon UTC of a day, `2026-01-31`, or an instant, `2026-01-31T18:30:00Z`.
    package init(day text: String) {
        guard let date = try? Date(text.contains("T") ? text : "\(text)T12:00:00Z", strategy: .iso8601) else {
            preconditionFailure("\(text) is neither a day nor an instant")
        }
        self.init(seconds: Int64(date.timeIntervalSince1970))
    }
}
