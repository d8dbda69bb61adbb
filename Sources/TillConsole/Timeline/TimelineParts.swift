import TillCore

/// Where a product's periods stand.
package struct TimelineLane: Equatable, Sendable {
    /// The product.
    package let productID: String
    /// What people call it.
    package let name: String
    /// The upper edge of its bars.
    package let barTop: Double
    /// The lower edge of all that belongs to it.
    package let bottom: Double

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

/// A period in its place.
package struct TimelineBar: Equatable, Sendable {
    /// What it shows.
    package let period: TimelinePeriod
    /// Its left edge.
    package let x: Double
    /// Its right edge.
    package let end: Double
    /// Counts lanes from the top.
    package let lane: Int
    /// Its upper edge.
    package let y: Double
    /// From where on there was no access; nil where there was.
    package let revokedX: Double?

    /// Whether it was over, or taken back, before its time.
    var isCut: Bool { revokedX != nil || period.end < period.expiresDate }

    init(_ period: TimelinePeriod, on scale: TimelineScale, _ lanes: [TimelineLane]) {
        self.period = period
        x = scale.x(period.start)
        end = scale.x(period.end)
        lane = lanes.firstIndex { $0.productID == period.productID } ?? 0
        y = lanes.isEmpty ? 0 : lanes[lane].barTop
        revokedX = period.revokedFrom.map(scale.x)
    }
}

/// A payment that could not be made, in its place.
package struct TimelineStrip: Equatable, Sendable {
    /// What it shows.
    package let trouble: TimelineTrouble
    /// Its left edge.
    package let x: Double
    /// Its right edge.
    package let end: Double
    /// The upper edge of its lane's bars.
    package let y: Double
    /// Whether it lies over bars, because what it was about was paid later.
    package let isOverBars: Bool

    init(_ trouble: TimelineTrouble, beside bars: [TimelineBar], on scale: TimelineScale) {
        self.trouble = trouble
        x = scale.x(trouble.start)
        end = scale.x(trouble.end)
        let before = bars.last { $0.period.start < trouble.start } ?? bars.first
        y = before?.y ?? 0
        isOverBars = bars.contains { $0.period.start < trouble.end && $0.period.end > trouble.start }
    }
}

/// What comes next, beyond the last period: how long it will be is not known yet.
package struct TimelineGhost: Equatable, Sendable {
    /// What it shows.
    package let next: TimelineNext
    /// Its left edge.
    package let x: Double
    /// Its right edge.
    package let end: Double
    /// Counts lanes from the top.
    package let lane: Int
    /// The upper edge of its lane's bars.
    package let y: Double

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

    /// The room that it takes.
    static func width(in width: Double, next: TimelineNext?) -> Double {
        switch next {
        case nil: 0
        case .ends: 40
        case .renews: max(58, min(112, width * 0.12))
        }
    }
}

/// A change of plan: the way from one lane to another.
package struct TimelineStep: Equatable, Sendable {
    /// Where it stands.
    package let x: Double
    /// Where it comes from.
    package let from: Double
    /// Where it leads.
    package let to: Double
    /// Whether it has been chosen and has not happened.
    package let isPlanned: Bool

    static func between(_ bars: [TimelineBar], _ slivers: [TimelineBar], and ghost: TimelineGhost?) -> [TimelineStep] {
        var steps: [TimelineStep] = []
        func step(_ x: Double, _ from: Double, _ to: Double, isPlanned: Bool) {
            let middle = Timeline.Layout.bar / 2
            steps.append(TimelineStep(x: x, from: from + middle, to: to + middle, isPlanned: isPlanned))
        }
        let all = (bars + slivers).sorted {
            ($0.period.start, $0.period.end, $0.period.transaction)
                < ($1.period.start, $1.period.end, $1.period.transaction)
        }
        for (bar, next) in zip(all, all.dropFirst())
        where bar.lane != next.lane && bar.period.end == next.period.start {
            step(next.x, bar.y, next.y, isPlanned: next.period.isAhead)
        }
        if let last = bars.last, let ghost, ghost.lane != last.lane {
            step(ghost.x, last.y, ghost.y, isPlanned: true)
        }
        return steps
    }
}
