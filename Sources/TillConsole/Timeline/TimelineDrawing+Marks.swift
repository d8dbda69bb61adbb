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
