import TillCore

/// Writes a timeline as SVG. Colours come from CSS classes. Shapes and labels carry the same information.
struct TimelineDrawing: Sendable {
    typealias Layout = Timeline.Layout

    let timeline: Timeline
    /// A prefix that makes element IDs unique on the page.
    let id: String

    var words: TimelineWords { TimelineWords(facts: timeline.facts, isFine: timeline.isFine) }

    /// The SVG text.
    func text() -> String {
        let legend = TimelineLegend(of: self)
        let name = timeline.facts.name(of: timeline.facts.subscription.latestTransaction.productID)
        let size = [timeline.width, timeline.height + legend.height].map(SVGText.number)
        let attributes = [
            ("class", "tl"), ("role", "graphics-document document"), ("aria-label", "Timeline of \(name)"),
            ("aria-describedby", "\(id)-desc"), ("viewBox", "0 0 \(size[0]) \(size[1])"), ("width", size[0]),
            ("height", size[1]),
        ]
        var svg = SVGText()
        svg.element("svg", attributes) { svg in
            svg.words("desc", [("id", "\(id)-desc")], words.whole(timeline.story))
            patterns(in: &svg)
            lanes(in: &svg)
            axis(in: &svg)
            now(in: &svg)
            for mark in timeline.marks { draw(mark, in: &svg) }
            // The names are drawn after the marks, whose stems would otherwise cross them.
            for lane in timeline.lanes { self.name(lane, in: &svg) }
            legend.draw(in: &svg, from: timeline.height)
        }
        return svg.text
    }

    // MARK: Hatchings

    /// The patterns that distinguish time spans without colour.
    enum Hatching: String, CaseIterable {
        case trial
        case shared
        case grace
        case revoked

        /// The path of an 8 × 8 pixel tile.
        var path: String {
            switch self {
            case .trial: "M0 2 H8 M0 6 H8"
            case .shared: "M1 1 h2 v2 h-2 z M5 5 h2 v2 h-2 z"
            case .grace: "M-2 6 L2 10 M-2 -2 L10 10 M6 -2 L10 2"
            case .revoked: "M-2 2 L2 -2 M-2 10 L10 -2 M6 10 L10 6"
            }
        }
    }

    private func patterns(in svg: inout SVGText) {
        svg.element("defs", []) { svg in
            for hatching in Hatching.allCases {
                let attributes = [
                    ("id", "\(id)-\(hatching.rawValue)"), ("width", "8"), ("height", "8"),
                    ("patternUnits", "userSpaceOnUse"),
                ]
                svg.element("pattern", attributes) { $0.path("tl-hatch-\(hatching.rawValue)", hatching.path) }
            }
        }
    }

    /// Draws a rectangle with a hatching over it.
    func hatched(_ kind: String, _ hatching: Hatching?, _ box: SVGBox, radius: Double, in svg: inout SVGText) {
        svg.rectangle(kind, box, radius: radius)
        guard let hatching else { return }
        svg.rectangle("tl-over", box, radius: radius, fill: "url(#\(id)-\(hatching.rawValue))")
    }

    // MARK: Lanes

    private func lanes(in svg: inout SVGText) {
        for lane in timeline.lanes {
            let box = SVGBox(x: 0, y: lane.barTop, width: timeline.width, height: Layout.bar)
            svg.rectangle("tl-track", box, radius: 5)
        }
        for lapse in timeline.story.lapses { draw(lapse, "no access", words.lapse(lapse), in: &svg) }
        for gap in timeline.story.unknownSpans { draw(gap, "unknown", words.unknownSpans(gap), in: &svg) }
        let prices = prices()
        for (bar, price) in zip(timeline.bars, prices) { draw(bar, price, in: &svg) }
        if let ghost = timeline.ghost { draw(ghost, in: &svg) }
        for strip in timeline.strips { draw(strip, in: &svg) }
        for sliver in timeline.slivers { draw(sliver: sliver, in: &svg) }
        for commitment in timeline.story.commitments { draw(commitment, in: &svg) }
        for step in timeline.steps { draw(step, in: &svg) }
    }

    private func name(_ lane: TimelineLane, in svg: inout SVGText) {
        let isShared = timeline.facts.subscription.ownership == .familyShared
        let words = lane.name + (isShared ? " · Family Sharing" : "")
        // At the left edge, the name must not overlap the line of the current time.
        let x = timeline.nowX.map { $0 < 16 ? $0 + 4 : 1 } ?? 1
        let shown = TextWidth.fitting(words, within: timeline.width - x - 1, size: Layout.label)
        let place = [("x", SVGText.number(x)), ("y", SVGText.number(lane.barTop - 5))]
        svg.element("text", [("class", "tl-lane")] + place) { svg in
            if shown != words { svg.words("title", [], words) }
            svg.words(shown)
        }
    }

    // MARK: Time

    private func axis(in svg: inout SVGText) {
        let y = timeline.axisY
        svg.line("tl-axis", 0, y, timeline.width, y)
        for tick in timeline.ticks {
            svg.line("tl-tick", tick.x, y, tick.x, y + (tick.label == nil ? 3 : 5))
            guard let label = tick.label else { continue }
            let x = TimelineTick.middle(of: label, at: tick.x, within: timeline.width)
            svg.label("tl-date", x: x, y: y + 17, label)
            if let second = tick.second {
                let below = TimelineTick.middle(of: second, at: x, within: timeline.width)
                svg.label("tl-year", x: below, y: y + 30, second)
            }
        }
        earlier(in: &svg)
    }

    private func earlier(in svg: inout SVGText) {
        let facts = timeline.facts
        guard timeline.story.hidden > 0 || facts.hasEarlier, let first = timeline.story.periods.first else { return }
        let count = facts.hasEarlier ? "" : "\(timeline.story.hidden) "
        let link = facts.earlier.map { [("href", "\($0)\(first.row.change)"), ("tabindex", "-1")] }
        svg.element(link == nil ? "g" : "a", link ?? []) { svg in
            let text = "‹ \(count)earlier"
            // A target that is easy to hit.
            let width = max(Layout.pill, TextWidth.of(text, size: Layout.small) * 1.1 + 6)
            svg.rectangle("tl-target", SVGBox(x: 0, y: 0, width: width, height: Layout.pill))
            svg.label("tl-earlier", x: 1, y: 15, text)
        }
    }

    private func now(in svg: inout SVGText) {
        guard let x = timeline.nowX else { return }
        let date = UTCDate(timeline.facts.now)
        let text = "now · \(timeline.isFine ? date.time : date.date)"
        let width = TextWidth.of(text, size: Layout.small) * 1.1 + 14
        let left = min(max(0, x - width / 2), timeline.width - width)
        svg.group("Now: \(words.now)") { svg in
            svg.line("tl-now", x, 18, x, timeline.axisY + 6)
            svg.rectangle("tl-now-pill", SVGBox(x: left, y: 1, width: width, height: 18), radius: 9)
            svg.label("tl-now-text", x: left + width / 2, y: 14, text)
        }
    }
}

/// Draws notifications. Each kind has a shape. A mark is hollow while the delivery is pending, struck through if the
/// delivery failed, and has a dashed outline if the notification was not sent.
extension TimelineDrawing {
    func draw(_ mark: TimelineMark, in svg: inout SVGText) {
        guard let first = mark.notices.first else { return }
        let title = mark.notices.map(words.notice).joined(separator: "\n")
        let bottom = timeline.lanes.first.map { $0.barTop - Layout.lane } ?? 0
        let y = bottom - 4 - Double(mark.level) * TimelineMark.size - TimelineMark.size / 2
        svg.group(title, href: first.address) { svg in
            svg.line("tl-stem", mark.x, y + 6, mark.x, timeline.axisY)
            // A larger target for the pointer.
            let half = TimelineMark.size / 2
            let box = SVGBox(x: mark.x - half, y: y - half, width: 2 * half, height: 2 * half)
            svg.rectangle("tl-target", box)
            if mark.notices.count > 1 {
                svg.label("tl-more", x: mark.x, y: y + 4, "+\(mark.notices.count)")
            } else {
                draw(mark.kind, first.fate, box, in: &svg)
            }
        }
    }

    /// Draws the shape of a mark in the middle of a box.
    func draw(_ kind: TimelineMark.Kind, _ fate: TimelineNotice.Fate, _ box: SVGBox, in svg: inout SVGText) {
        let (x, y) = (box.x + box.width / 2, box.y + box.height / 2)
        let path = "M\(SVGText.number(x)) \(SVGText.number(y)) \(kind.outline)"
        let state = fate == .arrived ? "" : " tl-hollow tl-\(fate.rawValue)"
        svg.path("tl-mark tl-mark-\(kind.rawValue)\(state)", path)
        if fate == .failed { svg.line("tl-strike", x - 6, y + 6, x + 6, y - 6) }
    }
}

extension TimelineMark.Kind {
    /// The shape as a path relative to its centre.
    fileprivate var outline: String {
        switch self {
        case .bought: "m-1.7 -5.5 h3.4 v3.8 h3.8 v3.4 h-3.8 v3.8 h-3.4 v-3.8 h-3.8 v-3.4 h3.8 z"
        case .renewed: "m-4.5 0 a4.5 4.5 0 1 0 9 0 a4.5 4.5 0 1 0 -9 0 z"
        case .changed: "m-4.2 -4.2 h8.4 v8.4 h-8.4 z"
        case .billingIssue: "m0 -5.6 l5.6 9.8 h-11.2 z"
        case .ended: "m-5 -3 l2 -2 l3 3 l3 -3 l2 2 l-3 3 l3 3 l-2 2 l-3 -3 l-3 3 l-2 -2 l3 -3 z"
        case .refund: "m0 -6 l6 6 l-6 6 l-6 -6 z"
        }
    }
}
