/// The legend of the shapes that occur on a timeline.
struct TimelineLegend: Sendable {
    enum Entry: Equatable, Sendable {
        case period(TimelinePeriod.Kind)
        case billingIssue(TimelineBillingIssue.Kind)
        case revoked
        case extended
        case mark(TimelineMark.Kind, String)
        case hollow
        case failed
        case unsent

        var words: String {
            switch self {
            case .period(.paid): "paid"
            case .period(.trial): "free"
            case .period(.offer): "offer"
            case .period(.shared): "shared"
            case .billingIssue(.grace): "grace"
            case .billingIssue(.retry): "billing retry"
            case .revoked: "revoked"
            case .extended: "extended"
            case .mark(_, let words): words
            case .hollow: "pending"
            case .failed: "failed"
            case .unsent: "not sent"
            }
        }
    }

    private typealias Layout = Timeline.Layout

    /// The entries with their horizontal positions and rows.
    let entries: [(entry: Entry, x: Double, row: Int)]
    /// The height in pixels.
    let height: Double

    private static let row = 19.0
    private static let swatch = 20.0

    init(of timeline: Timeline) {
        let periods = Set((timeline.bars + timeline.slivers).map(\.period.kind))
        let billingIssues = Set(timeline.strips.map(\.billingIssue.kind))
        let marks = Set(timeline.marks.flatMap(\.notices).map(\.kind))
        let fates = Set(timeline.marks.flatMap(\.notices).map(\.fate))
        var wanted = TimelinePeriod.Kind.allCases.filter(periods.contains).map(Entry.period)
        wanted += TimelineBillingIssue.Kind.allCases.filter(billingIssues.contains).map(Entry.billingIssue)
        if timeline.bars.contains(where: { $0.period.revocation != nil }) { wanted.append(.revoked) }
        if timeline.bars.contains(where: \.period.isExtended) { wanted.append(.extended) }
        let types = Set(timeline.marks.flatMap(\.notices).map(\.type))
        wanted += TimelineMark.Kind.allCases.filter(marks.contains).map { .mark($0, $0.words(of: types)) }
        if fates.contains(.pending) { wanted.append(.hollow) }
        if fates.contains(.failed) { wanted.append(.failed) }
        if fates.contains(.unsent) { wanted.append(.unsent) }
        var placed: [(entry: Entry, x: Double, row: Int)] = []
        var (x, row) = (0.0, 0)
        for entry in wanted {
            let width = Self.swatch + TextWidth.of(entry.words, size: Layout.small)
            if x > 0, x + width > timeline.width { (x, row) = (0, row + 1) }
            placed.append((entry, x, row))
            x += width + 12
        }
        entries = placed
        height = placed.isEmpty ? 0 : Double(row + 1) * Self.row + 6
    }

    func draw(in svg: inout SVGText, from top: Double, hatchings: TimelineDrawing) {
        for (entry, x, row) in entries {
            let y = top + 6 + Double(row) * Self.row
            draw(entry, SVGBox(x: x, y: y + 1, width: 15, height: 11), hatchings, in: &svg)
            svg.label("tl-legend", x: x + Self.swatch, y: y + 11, entry.words)
        }
    }

    private func draw(_ entry: Entry, _ box: SVGBox, _ drawing: TimelineDrawing, in svg: inout SVGText) {
        let middle = (x: box.x + box.width / 2, y: box.y + box.height / 2)
        switch entry {
        case .period(let kind):
            svg.rectangle("tl-bar tl-\(kind.rawValue)", box, radius: 3)
            if kind == .trial { svg.rectangle("tl-over", box, radius: 3, fill: drawing.fill(.trial)) }
            if kind == .shared { svg.rectangle("tl-over", box, radius: 3, fill: drawing.fill(.shared)) }
        case .billingIssue(.grace):
            svg.rectangle("tl-grace", box, radius: 3)
            svg.rectangle("tl-over", box, radius: 3, fill: drawing.fill(.grace))
        case .billingIssue(.retry):
            svg.rectangle("tl-retry", SVGBox(x: box.x, y: box.y + 2, width: box.width, height: 7), radius: 3)
        case .revoked:
            svg.rectangle("tl-revoked", box, radius: 3)
            svg.rectangle("tl-over", box, radius: 3, fill: drawing.fill(.revoked))
        case .extended:
            svg.rectangle("tl-bar tl-paid", box, radius: 3)
            drawing.extended(box, in: &svg)
        case .mark(let kind, _): TimelineDrawing.draw(kind, .arrived, x: middle.x, y: middle.y, in: &svg)
        case .hollow: TimelineDrawing.draw(.renewed, .pending, x: middle.x, y: middle.y, in: &svg)
        case .failed: TimelineDrawing.draw(.renewed, .failed, x: middle.x, y: middle.y, in: &svg)
        case .unsent: TimelineDrawing.draw(.renewed, .unsent, x: middle.x, y: middle.y, in: &svg)
        }
    }
}
