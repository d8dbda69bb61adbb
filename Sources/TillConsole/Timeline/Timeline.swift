import TillCore

/// The picture of a subscription: its story laid out over a width, lane by lane. The same facts and the same width make
/// the same picture.
package struct Timeline: Sendable {
    /// What it is made of.
    package let facts: TimelineFacts
    /// In pixels.
    package let width: Double
    /// In pixels.
    package let height: Double
    /// What happened.
    package let story: TimelineStory
    /// Where instants stand.
    package let scale: TimelineScale
    /// One for each product, from the top.
    package let lanes: [TimelineLane]
    /// The periods.
    package let bars: [TimelineBar]
    /// Periods that were over as they began.
    package let slivers: [TimelineBar]
    /// Payments that could not be made.
    package let strips: [TimelineStrip]
    /// What comes next; nil when nothing does.
    package let ghost: TimelineGhost?
    /// Changes of plan.
    package let steps: [TimelineStep]
    /// Notifications.
    package let marks: [TimelineMark]
    /// Dates on the axis.
    package let ticks: [TimelineTick]
    /// The customer's time; nil in a picture of the past.
    package let nowX: Double?
    /// Where the axis runs.
    package let axisY: Double

    /// The widths in which a page has the picture, of which it shows the one that fits.
    package static let widths: [Double] = [350, 660, 1_040]

    /// The narrowest that a period is on the average.
    private static let leastPeriod = 37.0
    /// However wide it is.
    static let mostPeriods = 24

    /// Lays a picture out.
    package init(_ facts: TimelineFacts, width: Double) {
        self.facts = facts
        self.width = width
        let room = width - 2 * Layout.margin
        let reach = TimelineGhost.width(in: width, next: TimelineStory(facts, atMost: 1).next)
        let most = min(Self.mostPeriods, max(3, Int((room - reach) / Self.leastPeriod)))
        story = TimelineStory(facts, atMost: most)
        scale = Self.scale(of: story, facts, onto: Layout.margin...(width - Layout.margin - reach))
        nowX = facts.isPast ? nil : scale.x(facts.now)
        marks = TimelineMark.laid(facts.notices, from: story.begin, until: story.end(facts), on: scale, within: width)
        let top = Layout.pill + TimelineMark.height(of: marks)
        lanes = TimelineLane.laid(story, facts, from: top)
        let lanes = lanes
        let scale = scale
        bars = story.periods.map { TimelineBar($0, on: scale, lanes) }
        let bars = bars
        slivers = story.moments.map { TimelineBar($0, on: scale, lanes) }
        strips = story.troubles.map { TimelineStrip($0, beside: bars, on: scale) }
        ghost = TimelineGhost(story.next, after: bars.last, width: reach, lanes)
        steps = TimelineStep.between(bars, slivers, and: ghost)
        axisY = (lanes.last?.bottom ?? top) + 6
        ticks = TimelineTick.laid(story, facts, on: scale, within: width)
        height = axisY + Layout.axis
    }

    private static func scale(of story: TimelineStory, _ facts: TimelineFacts, onto range: ClosedRange<Double>)
        -> TimelineScale
    {
        var instants = story.periods.flatMap { [$0.start, $0.end] }
        instants += story.troubles.flatMap { [$0.start, $0.end] }
        let empty = story.lapses + story.untold
        instants += empty.flatMap { [$0.start, $0.end] }
        // Now divides no period: it only stands where it is, beyond the last of them if need be.
        if !facts.isPast, instants.allSatisfy({ $0 < facts.now }) { instants.append(facts.now) }
        let begin = story.begin
        let lengths = story.periods.map { $0.expiresDate.milliseconds - $0.start.milliseconds }.sorted()
        return TimelineScale(
            over: instants.filter { $0 >= begin },
            lapses: empty,
            usual: lengths.isEmpty ? 1 : lengths[lengths.count / 2],
            onto: range
        )
    }

    /// The measures of its parts, in pixels.
    enum Layout {
        static let margin = 8.0
        /// The row that says when now is.
        static let pill = 24.0
        static let bar = 26.0
        static let lane = 18.0
        static let bracket = 19.0
        static let axis = 36.0
        static let label = 12.0
        static let small = 11.0
    }
}

extension TimelineStory {
    /// When the first period begins.
    var begin: Timestamp { periods.first?.start ?? Timestamp(milliseconds: 0) }

    /// When the last thing that is known ends.
    func end(_ facts: TimelineFacts) -> Timestamp {
        let last = periods.last?.end ?? begin
        return facts.isPast ? last : max(last, facts.now)
    }
}

extension Timeline {
    /// Whether periods are so short that the axis has times of the day.
    var isFine: Bool { ticks.contains { $0.label?.contains(":") == true } }

    /// The picture as SVG.
    ///
    /// - Parameter id: makes its ids differ from those of other pictures on the page; letters, digits and dashes.
    package func svg(id: String) -> String { TimelineDrawing(self, id: id).text() }
}
