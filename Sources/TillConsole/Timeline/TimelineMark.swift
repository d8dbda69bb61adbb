import TillCore

/// A notification, or several that stand too close together, in their place above the lanes.
package struct TimelineMark: Equatable, Sendable {
    /// What a notification says of a subscription; each kind has a shape of its own.
    package enum Kind: String, CaseIterable, Sendable {
        /// The customer bought.
        case bought
        /// The store charged.
        case renewed
        /// The customer, the developer or the price changed something.
        case changed
        /// The store could not charge.
        case trouble
        /// It ended.
        case ended
        /// Money went back or is wanted back, or sharing ended.
        case refund
    }

    /// In their order; more than one where there is no room to show each.
    package private(set) var notices: [TimelineNotice]
    /// Its middle.
    package let x: Double
    /// Counts rows from the lanes upwards.
    package let level: Int

    /// The kind of the first.
    package var kind: Kind { notices.first?.kind ?? .changed }

    /// Room for one, in pixels.
    static let size = 17.0
    private static let levels = 4

    /// The room that marks take above the lanes.
    static func height(of marks: [TimelineMark]) -> Double {
        let levels = (marks.map(\.level).max() ?? -1) + 1
        return levels == 0 ? 0 : Double(levels) * size + 4
    }

    /// Lays notifications out: each where it came about, above those that are in its way.
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
