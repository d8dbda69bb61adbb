import TillCore

/// The timeline of a subscription, laid out for a width. It is a pure function of its facts and width.
struct Timeline: Sendable {
    let facts: TimelineFacts
    /// The width in pixels.
    let width: Double
    /// The height in pixels.
    let height: Double
    let story: TimelineStory
    let scale: TimelineScale
    /// One lane per product, from the top.
    let lanes: [TimelineLane]
    /// The bars of the periods.
    let bars: [TimelineBar]
    /// The bars of periods that were replaced at their start.
    let slivers: [TimelineBar]
    /// Failed payments.
    let strips: [TimelineStrip]
    /// The next period; nil if the subscription has ended.
    let ghost: TimelineGhost?
    /// Changes of plan.
    let steps: [TimelineStep]
    /// Notifications.
    let marks: [TimelineMark]
    /// Dates on the axis.
    let ticks: [TimelineTick]
    /// The position of the current time; nil on a timeline of older periods.
    let nowX: Double?
    /// The vertical position of the axis.
    let axisY: Double

    /// The page contains a timeline for each of these widths. CSS shows the timeline that fits.
    static let widths: [Double] = [350, 660, 1_040]

    /// The minimum average width of a period in pixels.
    private static let leastPeriod = 37.0
    /// The maximum number of periods on a timeline.
    static let maxPeriods = 24

    /// Lays out a timeline.
    init(_ facts: TimelineFacts, width: Double) {
        self.facts = facts
        self.width = width
        let room = width - 2 * Layout.margin
        let reach = TimelineGhost.width(in: width, next: TimelineStory(facts, atMost: 1).next)
        let limit = min(Self.maxPeriods, max(3, Int((room - reach) / Self.leastPeriod)))
        story = TimelineStory(facts, atMost: limit)
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
        strips = story.billingIssues.map { TimelineStrip($0, beside: bars, on: scale) }
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
        instants += story.billingIssues.flatMap { [$0.start, $0.end] }
        let empty = story.lapses + story.unknownSpans
        instants += empty.flatMap { [$0.start, $0.end] }
        // The current time extends the scale only if it is after the last period.
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

    /// Sizes in pixels.
    enum Layout {
        static let margin = 8.0
        /// The row with the current time.
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

    /// When the last known event ends.
    func end(_ facts: TimelineFacts) -> Timestamp {
        let last = periods.last?.end ?? begin
        return facts.isPast ? last : max(last, facts.now)
    }
}

extension Timeline {
    /// Whether periods are so short that the axis shows times.
    var isFine: Bool { ticks.contains { $0.label?.contains(":") == true } }

    /// The timeline as SVG.
    ///
    /// - Parameter id: a prefix that makes element IDs unique on the page: letters, digits and dashes.
    func svg(id: String) -> String { TimelineDrawing(timeline: self, id: id).text() }
}
