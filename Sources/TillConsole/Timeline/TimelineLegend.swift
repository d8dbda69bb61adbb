import TillCore

/// The legend of the shapes that occur on a timeline.
struct TimelineLegend {
    /// A shape with its meaning.
    private struct Entry {
        let words: String
        let draw: (SVGBox, inout SVGText) -> Void
        var x = 0.0
        var row = 0
    }

    private typealias Layout = Timeline.Layout

    private var entries: [Entry] = []
    /// The height in pixels.
    private(set) var height = 0.0

    private static let row = 19.0
    private static let swatch = 20.0

    init(of drawing: TimelineDrawing) {
        let timeline = drawing.timeline
        let periods = timeline.bars + timeline.slivers
        for kind in TimelinePeriod.Kind.allCases where periods.contains(where: { $0.period.kind == kind }) {
            add(kind.words) { drawing.draw(kind, $0, radius: 3, in: &$1) }
        }
        for kind in TimelineBillingIssue.Kind.allCases
        where timeline.strips.contains(where: { $0.billingIssue.kind == kind }) {
            add(kind == .grace ? "grace" : "billing retry") { box, svg in
                let thin = SVGBox(x: box.x, y: box.y + 2, width: box.width, height: 7)
                drawing.draw(kind, kind == .grace ? box : thin, in: &svg)
            }
        }
        if timeline.bars.contains(where: { $0.period.row.revocation != nil }) {
            add("revoked") { drawing.hatched("tl-revoked", .revoked, $0, radius: 3, in: &$1) }
        }
        if timeline.bars.contains(where: \.period.isExtended) {
            add("extended") { box, svg in
                drawing.draw(.paid, box, radius: 3, in: &svg)
                drawing.extended(box, in: &svg)
            }
        }
        let notices = timeline.marks.flatMap(\.notices)
        for kind in TimelineMark.Kind.allCases where notices.contains(where: { $0.kind == kind }) {
            add(kind.words(of: Set(notices.map(\.type)))) { drawing.draw(kind, .arrived, $0, in: &$1) }
        }
        for (fate, words) in [(TimelineNotice.Fate.pending, "pending"), (.failed, "failed"), (.unsent, "not sent")]
        where notices.contains(where: { $0.fate == fate }) {
            add(words) { drawing.draw(.renewed, fate, $0, in: &$1) }
        }
        place(within: timeline.width)
    }

    private mutating func add(_ words: String, _ draw: @escaping (SVGBox, inout SVGText) -> Void) {
        entries.append(Entry(words: words, draw: draw))
    }

    private mutating func place(within width: Double) {
        var (x, row) = (0.0, 0)
        for index in entries.indices {
            let needed = Self.swatch + TextWidth.of(entries[index].words, size: Layout.small)
            if x > 0, x + needed > width { (x, row) = (0, row + 1) }
            (entries[index].x, entries[index].row) = (x, row)
            x += needed + 12
        }
        height = entries.isEmpty ? 0 : Double(row + 1) * Self.row + 6
    }

    func draw(in svg: inout SVGText, from top: Double) {
        for entry in entries {
            let y = top + 6 + Double(entry.row) * Self.row
            entry.draw(SVGBox(x: entry.x, y: y + 1, width: 15, height: 11), &svg)
            svg.label("tl-legend", x: entry.x + Self.swatch, y: y + 11, entry.words)
        }
    }
}

extension TimelinePeriod.Kind {
    fileprivate var words: String {
        switch self {
        case .paid: "paid"
        case .trial: "free"
        case .offer: "offer"
        case .shared: "shared"
        }
    }
}

extension TimelineMark.Kind {
    /// The legend text for marks of these notification types.
    fileprivate func words(of types: Set<String>) -> String {
        switch self {
        case .bought: return "purchased"
        case .renewed: return "renewed"
        case .changed: return "changed"
        case .billingIssue: return "payment failed"
        case .ended: return "ended"
        case .refund:
            guard types.contains("REVOKE") else { return "refund" }
            let refunds = ["REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "CONSUMPTION_REQUEST"]
            return types.isDisjoint(with: refunds) ? "no longer shared" : "refund, or no longer shared"
        }
    }
}
