import TillCore
import TillShop

/// Draws periods and the time between them.
extension TimelineDrawing {
    func draw(_ bar: TimelineBar, _ price: (text: String, x: Double)?, in svg: inout SVGText) {
        let period = bar.period
        let gap = min(1, (bar.end - bar.x) / 4)
        let box = SVGBox(x: bar.x + gap, y: bar.y, width: bar.end - bar.x - 2 * gap, height: Layout.bar)
        let radius = min(4, box.width / 3)
        let state = (period.isAhead ? " tl-ahead" : "") + (period.isSuperseded ? " tl-superseded" : "")
        svg.group(words.period(period), href: address(of: period)) { svg in
            draw(period.kind, state: state, box, radius: radius, in: &svg)
            if period.isExtended { extended(box, in: &svg) }
            revoked(bar, box, in: &svg)
            if let price {
                let y = bar.y + (period.isRefundedLater ? 13 : 17)
                svg.label("tl-on-bar tl-on-\(period.kind.rawValue)", x: price.x, y: y, price.text)
            }
        }
    }

    /// Draws a time span of a kind of period, also for the legend.
    func draw(_ kind: TimelinePeriod.Kind, state: String = "", _ box: SVGBox, radius: Double, in svg: inout SVGText) {
        let hatching: Hatching? = kind == .trial ? .trial : kind == .shared ? .shared : nil
        hatched("tl-bar tl-\(kind.rawValue)\(state)", hatching, box, radius: radius, in: &svg)
    }

    /// Draws a time span of a failed payment, also for the legend.
    func draw(_ kind: TimelineBillingIssue.Kind, _ box: SVGBox, in svg: inout SVGText) {
        hatched("tl-\(kind.rawValue)", kind == .grace ? .grace : nil, box, radius: 3, in: &svg)
    }

    /// Draws a period that was replaced at its start: a narrow edge before the next bar.
    func draw(sliver bar: TimelineBar, in svg: inout SVGText) {
        let box = SVGBox(x: max(0, bar.x - 5), y: bar.y, width: 5, height: Layout.bar)
        svg.group(words.period(bar.period), href: address(of: bar.period)) { svg in
            svg.rectangle("tl-bar tl-\(bar.period.kind.rawValue) tl-sliver", box, radius: 2)
        }
    }

    private func address(of period: TimelinePeriod) -> String? {
        timeline.facts.transactions.map { $0 + period.row.shownID }
    }

    /// The labels of the bars: the price of every bar that has room for it.
    func prices() -> [(text: String, x: Double)?] {
        timeline.bars.map { bar -> (text: String, x: Double)? in
            guard let price = bar.period.row.price else { return nil }
            let text = price.milliunits == 0 ? "free" : String(price.words.prefix { $0 != " " })
            return place(of: text, in: bar).map { (text, $0) }
        }
    }

    /// The centre of a label on a bar. It avoids the revoked part and, if possible, the line of the current time.
    private func place(of text: String, in bar: TimelineBar) -> Double? {
        let (left, right) = (bar.x + 3, (bar.revokedX ?? bar.end) - 3)
        let width = TextWidth.of(text, size: Layout.small)
        guard width <= right - left else { return nil }
        let middle = (left + right) / 2
        guard let now = timeline.nowX, abs(now - middle) < width / 2 + 3 else { return middle }
        let sides = [(left, now - 3), (now + 3, right)].max { $0.1 - $0.0 < $1.1 - $1.0 }
        guard let (from, to) = sides, width <= to - from else { return middle }
        return (from + to) / 2
    }

    /// Draws chevrons at the end of an extended period.
    func extended(_ box: SVGBox, in svg: inout SVGText) {
        let x = max(box.x + 1, box.x + box.width - 15)
        let margin = box.height > 12 ? 6.0 : 2
        let (top, middle, bottom) = (box.y + margin, box.y + box.height / 2, box.y + box.height - margin)
        for start in [x, x + 6] { svg.line("tl-chevron", start, top, start + 5, middle, start, bottom) }
    }

    /// Draws a hatched area from the end of access, or a hatched foot if only the money was refunded.
    private func revoked(_ bar: TimelineBar, _ box: SVGBox, in svg: inout SVGText) {
        if let revokedX = bar.revokedX {
            let from = max(revokedX, box.x)
            let rest = SVGBox(x: from, y: box.y, width: box.x + box.width - from, height: box.height)
            hatched("tl-revoked", .revoked, rest, radius: min(4, rest.width / 3), in: &svg)
        } else if bar.period.isRefundedLater {
            let foot = SVGBox(x: box.x, y: box.y + box.height - 8, width: box.width, height: 8)
            hatched("tl-revoked", .revoked, foot, radius: 3, in: &svg)
        }
    }

    func draw(_ strip: TimelineStrip, in svg: inout SVGText) {
        let isGrace = strip.billingIssue.kind == .grace
        let height = strip.isOverBars ? 7 : isGrace ? Layout.bar : 14
        let y = strip.y + (strip.isOverBars ? Layout.bar - 7 : (Layout.bar - height) / 2)
        let box = SVGBox(x: strip.x + 1, y: y, width: max(2, strip.end - strip.x - 2), height: height)
        svg.group(words.billingIssue(strip.billingIssue)) { svg in
            draw(strip.billingIssue.kind, box, in: &svg)
            let wanted = isGrace ? ["grace period", "grace"] : ["billing retry", "retry"]
            if let text = Self.fitting(wanted, within: box.width - 6), !strip.isOverBars {
                let kind = "tl-on-bar tl-on-\(strip.billingIssue.kind.rawValue)"
                svg.label(kind, x: box.x + box.width / 2, y: strip.y + 17, text)
            }
        }
    }

    /// The first of several labels that fits.
    private static func fitting(_ labels: [String], within width: Double) -> String? {
        labels.first { TextWidth.of($0, size: Layout.small) <= width }
    }

    func draw(_ lapse: TimelineStretch, _ text: String, _ title: String, in svg: inout SVGText) {
        let (x, end) = (timeline.scale.x(lapse.start), timeline.scale.x(lapse.end))
        guard let bar = timeline.bars.last(where: { $0.period.start < lapse.start }) else { return }
        let middle = bar.y + Layout.bar / 2
        svg.group(title) { svg in
            svg.line("tl-lapse", x + 3, middle, max(x + 3, end - 2), middle)
            svg.line("tl-cap", x + 1.5, bar.y + 3, x + 1.5, bar.y + Layout.bar - 3)
            if TextWidth.of(text, size: Layout.small) <= end - x - 8 {
                svg.label("tl-in-lapse", x: (x + end) / 2, y: middle - 4, text)
            }
        }
    }

    func draw(_ ghost: TimelineGhost, in svg: inout SVGText) {
        svg.group(words.next(ghost.next)) { svg in
            switch ghost.next {
            case .ends:
                svg.line("tl-cap", ghost.x + 1.5, ghost.y + 1, ghost.x + 1.5, ghost.y + Layout.bar - 1)
                svg.label("tl-on-bar tl-on-ghost", x: (ghost.x + ghost.end) / 2 + 2, y: ghost.y + 17, "ends")
            case .renews(_, _, let price, let offer, let awaitsConsent):
                let box = SVGBox(
                    x: ghost.x + 1.5,
                    y: ghost.y + 0.75,
                    width: ghost.end - ghost.x - 3,
                    height: Layout.bar - 1.5
                )
                svg.rectangle("tl-ghost", box, radius: 4)
                let amount = price.map { $0.milliunits == 0 ? "free" : $0.words }
                let wanted = [
                    awaitsConsent ? "consent?" : nil, amount.map { "then \($0)" }, amount,
                    offer == nil ? "renews" : "offer",
                ].compactMap(\.self)
                if let text = Self.fitting(wanted, within: box.width - 6) {
                    svg.label("tl-on-bar tl-on-ghost", x: box.x + box.width / 2, y: ghost.y + 17, text)
                }
            }
        }
    }

    func draw(_ commitment: TimelineCommitment, in svg: inout SVGText) {
        guard let lane = timeline.lanes.first(where: { $0.productID == commitment.productID }) else { return }
        let isOver = commitment.end <= commitment.paidUntil
        let x = timeline.scale.x(commitment.start) + 1
        let known = timeline.scale.x(commitment.paidUntil) - 1
        let end = isOver ? known : timeline.ghost?.end ?? known
        let y = lane.barTop + Layout.bar + 6
        svg.group(words.commitment(commitment)) { svg in
            svg.line("tl-bracket", x, y - 3, x, y, end, y)
            if isOver {
                svg.line("tl-bracket", end, y, end, y - 3)
            } else {
                svg.line("tl-bracket", end - 4, y - 3, end, y, end - 4, y + 3)
            }
            let month = "\(commitment.month) of \(commitment.months)"
            let wanted = ["committed: month \(month)", "month \(month)", month]
            if let text = Self.fitting(wanted, within: end - x) {
                svg.label("tl-in-bracket", x: x, y: y + 12, text)
            }
        }
    }

    func draw(_ step: TimelineStep, in svg: inout SVGText) {
        let down = step.to > step.from
        let tip = step.to + (down ? -Layout.bar / 2 + 1 : Layout.bar / 2 - 1)
        let back = down ? tip - 6 : tip + 6
        svg.line(step.isPlanned ? "tl-step tl-planned" : "tl-step", step.x, step.from, step.x, back)
        svg.line("tl-step-tip", step.x - 4.5, back, step.x, tip, step.x + 4.5, back)
    }
}
