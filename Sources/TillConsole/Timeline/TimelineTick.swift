import TillCore

/// A date on the axis.
struct TimelineTick: Equatable, Sendable {
    /// The date.
    let instant: Timestamp
    /// The horizontal position.
    let x: Double
    /// The label; nil if there is no room.
    let label: String?
    /// The year or date below the label; nil if it is the same as below the previous label.
    let second: String?

    /// The label of a date and the text below it, with a precision that depends on the shortest period.
    private static func texts(of instant: Timestamp, shortest: Int64) -> (label: String, second: String) {
        let date = UTCDate(instant)
        if shortest < 120_000 { return (date.timeWithSeconds, date.date) }
        return shortest < 86_400_000 ? (date.time, date.date) : (date.dayAndMonth, String(date.year))
    }

    static func laid(
        _ story: TimelineStory,
        _ facts: TimelineFacts,
        on scale: TimelineScale,
        within width: Double
    ) -> [TimelineTick] {
        let shortest = story.periods.map { $0.expiresDate.milliseconds - $0.start.milliseconds }.min() ?? 86_400_000
        var instants = Set(story.periods.flatMap { [$0.start, $0.end] })
        instants.formUnion(story.billingIssues.map(\.end).filter { $0 >= story.begin })
        let rising = instants.sorted()
        let labelled = labelled(rising, story, on: scale, within: width, shortest)
        var lastSecond: String?
        var lastLabel: String?
        var freeFrom = -Double.infinity
        return rising.map { instant in
            let x = scale.x(instant)
            let (label, second) = texts(of: instant, shortest: shortest)
            guard labelled.contains(instant), label != lastLabel || second != lastSecond else {
                return TimelineTick(instant: instant, x: x, label: nil, second: nil)
            }
            lastLabel = label
            let half = TextWidth.of(second, size: Timeline.Layout.small) / 2
            let middle = middle(of: second, at: middle(of: label, at: x, within: width), within: width)
            guard second != lastSecond, middle - half >= freeFrom else {
                return TimelineTick(instant: instant, x: x, label: label, second: nil)
            }
            lastSecond = second
            freeFrom = middle + half + 6
            return TimelineTick(instant: instant, x: x, label: label, second: second)
        }
    }

    /// The dates that get a label. The first and last have priority, then newer dates.
    private static func labelled(
        _ rising: [Timestamp],
        _ story: TimelineStory,
        on scale: TimelineScale,
        within width: Double,
        _ shortest: Int64
    ) -> Set<Timestamp> {
        let last = story.periods.last.map { [$0.end, $0.start] } ?? []
        let wanted = rising.prefix(1) + last + story.billingIssues.map(\.end) + rising.reversed()
        var taken: [(left: Double, right: Double)] = []
        var labelled: Set<Timestamp> = []
        for instant in wanted where !labelled.contains(instant) && instant >= story.begin {
            let label = texts(of: instant, shortest: shortest).label
            let half = TextWidth.of(label, size: Timeline.Layout.small) / 2
            let x = middle(of: label, at: scale.x(instant), within: width)
            guard taken.allSatisfy({ x + half + 7 <= $0.left || x - half - 7 >= $0.right }) else { continue }
            taken.append((x - half, x + half))
            labelled.insert(instant)
        }
        return labelled
    }

    /// The centre of a text, kept within the drawing.
    static func middle(of text: String, at x: Double, within width: Double) -> Double {
        let half = TextWidth.of(text, size: Timeline.Layout.small) / 2
        return min(max(x, half), width - half)
    }
}
