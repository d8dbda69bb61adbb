import TillCore

/// The lane of a product's periods.
struct TimelineLane: Equatable, Sendable {
    let productID: String
    /// The product's name.
    let name: String
    /// The top edge of the bars in the lane.
    let barTop: Double
    /// The bottom of the lane.
    let bottom: Double

    static func laid(_ story: TimelineStory, _ facts: TimelineFacts, from top: Double) -> [TimelineLane] {
        var wanted = Set((story.periods + story.moments).map(\.productID))
        if case .renews(_, let product, _, _, _) = story.next { wanted.insert(product) }
        let known = facts.products.map(\.id).filter(wanted.contains)
        let others = wanted.subtracting(known).sorted()
        var y = top
        return (known + others).map { product in
            let isCommitted = story.commitments.contains { $0.productID == product }
            let barTop = y + Timeline.Layout.lane
            y = barTop + Timeline.Layout.bar + (isCommitted ? Timeline.Layout.bracket : 6)
            return TimelineLane(productID: product, name: facts.name(of: product), barTop: barTop, bottom: y)
        }
    }
}

/// The bar of a period.
struct TimelineBar: Equatable, Sendable {
    let period: TimelinePeriod
    /// The left edge.
    let x: Double
    /// The right edge.
    let end: Double
    /// The index of the lane from the top.
    let lane: Int
    /// The top edge.
    let y: Double
    /// The position where access ended early; nil if it did not.
    let revokedX: Double?

    init(_ period: TimelinePeriod, on scale: TimelineScale, _ lanes: [TimelineLane]) {
        self.period = period
        x = scale.x(period.start)
        end = scale.x(period.end)
        lane = lanes.firstIndex { $0.productID == period.productID } ?? 0
        y = lanes.isEmpty ? 0 : lanes[lane].barTop
        revokedX = period.revokedFrom.map(scale.x)
    }
}

/// The strip of a failed payment.
struct TimelineStrip: Equatable, Sendable {
    let billingIssue: TimelineBillingIssue
    /// The left edge.
    let x: Double
    /// The right edge.
    let end: Double
    /// The top edge of the bars in the lane.
    let y: Double
    /// Whether the strip overlaps bars, because the payment succeeded later.
    let isOverBars: Bool

    init(_ billingIssue: TimelineBillingIssue, beside bars: [TimelineBar], on scale: TimelineScale) {
        self.billingIssue = billingIssue
        x = scale.x(billingIssue.start)
        end = scale.x(billingIssue.end)
        let before = bars.last { $0.period.start < billingIssue.start } ?? bars.first
        y = before?.y ?? 0
        isOverBars = bars.contains { $0.period.start < billingIssue.end && $0.period.end > billingIssue.start }
    }
}

/// The next period, after the last bar. Its length is not known yet.
struct TimelineGhost: Equatable, Sendable {
    let next: TimelineNext
    /// The left edge.
    let x: Double
    /// The right edge.
    let end: Double
    /// The index of the lane from the top.
    let lane: Int
    /// The top edge of the bars in the lane.
    let y: Double

    init?(_ next: TimelineNext?, after bar: TimelineBar?, width: Double, _ lanes: [TimelineLane]) {
        guard let next, let bar else { return nil }
        self.next = next
        x = bar.end
        end = bar.end + width
        if case .renews(_, let product, _, _, _) = next {
            lane = lanes.firstIndex { $0.productID == product } ?? bar.lane
        } else {
            lane = bar.lane
        }
        y = lanes.isEmpty ? 0 : lanes[lane].barTop
    }

    static func width(in width: Double, next: TimelineNext?) -> Double {
        switch next {
        case nil: 0
        case .ends: 40
        case .renews: max(58, min(112, width * 0.12))
        }
    }
}

/// A change of plan: an arrow from one lane to another.
struct TimelineStep: Equatable, Sendable {
    let x: Double
    /// The vertical start.
    let from: Double
    /// The vertical end.
    let to: Double
    /// Whether the change is pending.
    let isPlanned: Bool

    static func between(_ bars: [TimelineBar], _ slivers: [TimelineBar], and ghost: TimelineGhost?) -> [TimelineStep] {
        let middle = Timeline.Layout.bar / 2
        func step(_ x: Double, _ from: Double, _ to: Double, isPlanned: Bool) -> TimelineStep {
            TimelineStep(x: x, from: from + middle, to: to + middle, isPlanned: isPlanned)
        }
        let all = (bars + slivers).map { (key: ($0.period.start, $0.period.end, $0.period.row.id), bar: $0) }
            .sorted { $0.key < $1.key }.map(\.bar)
        let steps = zip(all, all.dropFirst()).filter { $0.lane != $1.lane && $0.period.end == $1.period.start }
            .map { step($1.x, $0.y, $1.y, isPlanned: $1.period.isAhead) }
        guard let last = bars.last, let ghost, ghost.lane != last.lane else { return steps }
        return steps + [step(ghost.x, last.y, ghost.y, isPlanned: true)]
    }
}

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
