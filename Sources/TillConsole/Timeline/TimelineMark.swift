import TillCore

/// A mark above the lanes: a notification, or several notifications that are too close together for separate marks.
struct TimelineMark: Equatable, Sendable {
    /// The kind of event; each kind has its own shape.
    enum Kind: String, CaseIterable, Sendable {
        /// A purchase.
        case bought
        /// A renewal.
        case renewed
        /// A change by the customer or the developer, such as a change of plan or price.
        case changed
        /// A failed payment.
        case billingIssue
        /// The end of the subscription.
        case ended
        /// A refund, a refund request or the end of sharing.
        case refund
    }

    /// The notifications by date.
    private(set) var notices: [TimelineNotice]
    /// The horizontal centre.
    let x: Double
    /// The row of the mark, counted upwards from the lanes.
    let level: Int

    /// The kind of the first notification.
    var kind: Kind { notices.first?.kind ?? .changed }

    /// The size of a mark in pixels.
    static let size = 17.0
    private static let levels = 4

    /// The height of all rows of marks.
    static func height(of marks: [TimelineMark]) -> Double {
        let levels = (marks.map(\.level).max() ?? -1) + 1
        return levels == 0 ? 0 : Double(levels) * size + 4
    }

    /// Places notifications at their dates; overlapping marks are stacked.
    static func laid(
        _ notices: [TimelineNotice],
        from begin: Timestamp,
        until end: Timestamp,
        on scale: TimelineScale,
        within width: Double
    ) -> [TimelineMark] {
        var marks: [TimelineMark] = []
        var lastOfLevel = [Double](repeating: -.infinity, count: levels)
        for notice in notices.sorted(by: { $0.date < $1.date }) where notice.date >= begin && notice.date <= end {
            let x = min(max(scale.x(notice.date), size / 2), width - size / 2)
            if let level = lastOfLevel.firstIndex(where: { $0 + size <= x }) {
                lastOfLevel[level] = x
                marks.append(TimelineMark(notices: [notice], x: x, level: level))
            } else if let top = marks.lastIndex(where: { $0.level == levels - 1 }) {
                marks[top].notices.append(notice)
            }
        }
        return marks
    }
}
