/// Writes SVG and escapes all attributes and texts.
struct SVGText {
    private(set) var text = ""

    /// An element without content.
    mutating func shape(_ name: String, _ attributes: [(String, String)]) {
        text += "<\(name)"
        write(attributes)
        text += "/>"
    }

    /// An element with content.
    mutating func element(_ name: String, _ attributes: [(String, String)], _ content: (inout SVGText) -> Void) {
        text += "<\(name)"
        write(attributes)
        text += ">"
        content(&self)
        text += "</\(name)>"
    }

    /// An element that contains only text.
    mutating func words(_ name: String, _ attributes: [(String, String)], _ words: String) {
        element(name, attributes) { $0.text += Self.escaped(words) }
    }

    /// Writes escaped text into the current element.
    mutating func words(_ words: String) { text += Self.escaped(words) }

    /// A group of shapes with a tooltip.
    mutating func group(_ title: String, href: String? = nil, _ content: (inout SVGText) -> Void) {
        // The tables below the timeline have the same links, so keyboard users can skip these.
        let link = href.map { [("href", $0), ("tabindex", "-1")] }
        element(link == nil ? "g" : "a", link ?? []) { svg in
            svg.words("title", [], title)
            content(&svg)
        }
    }

    /// A rectangle, filled by its class or with a pattern.
    mutating func rectangle(_ kind: String, _ box: SVGBox, radius: Double = 0, fill: String? = nil) {
        var attributes = [
            ("class", kind), ("x", Self.number(box.x)), ("y", Self.number(box.y)),
            ("width", Self.number(max(0, box.width))), ("height", Self.number(box.height)),
        ]
        if radius > 0 { attributes.append(("rx", Self.number(radius))) }
        if let fill { attributes.append(("fill", fill)) }
        shape("rect", attributes)
    }

    /// A path.
    mutating func path(_ kind: String, _ commands: String) { shape("path", [("class", kind), ("d", commands)]) }

    /// A line through points; x and y alternate.
    mutating func line(_ kind: String, _ numbers: Double...) {
        let points = stride(from: 0, to: numbers.count - 1, by: 2).map {
            "\(Self.number(numbers[$0])) \(Self.number(numbers[$0 + 1]))"
        }
        path(kind, "M" + points.joined(separator: " L"))
    }

    /// A text at a position.
    mutating func label(_ kind: String, x: Double, y: Double, _ words: String) {
        self.words("text", [("class", kind), ("x", Self.number(x)), ("y", Self.number(y))], words)
    }

    private mutating func write(_ attributes: [(String, String)]) {
        for (name, value) in attributes { text += " \(name)=\"\(Self.escaped(value))\"" }
    }

    /// A number rounded to a tenth of a pixel.
    static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let (whole, rest) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
        return (tenths < 0 ? "-" : "") + "\(whole)" + (rest == 0 ? "" : ".\(rest)")
    }

    /// Escapes text for content and attributes. Characters that XML does not allow are replaced.
    static func escaped(_ text: String) -> String {
        var written = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": written += "&amp;"
            case "<": written += "&lt;"
            case ">": written += "&gt;"
            case "\"": written += "&quot;"
            case "'": written += "&#39;"
            case "\n", "\t": written += " "
            case _ where scalar.value < 0x20: written += "\u{fffd}"
            default: written.unicodeScalars.append(scalar)
            }
        }
        return written
    }
}

/// The position and size of a rectangle.
struct SVGBox: Equatable {
    var x: Double
    var y: Double
    var width: Double
    var height: Double
}

/// Estimates text widths without a font, slightly above those of most fonts.
enum TextWidth {
    /// The width in pixels at a font size.
    static func of(_ text: String, size: Double) -> Double {
        text.unicodeScalars.reduce(0) { $0 + width(of: $1) } * size
    }

    private static func width(of scalar: Unicode.Scalar) -> Double {
        switch scalar {
        case " ", ".", ",", ":", "i", "l", "j", "t", "f", "r", "I", "'", "|", "(", ")", "·": 0.36
        case "m", "w", "M", "W": 0.9
        case "a"..."z", "0"..."9": 0.6
        case "A"..."Z": 0.72
        default: scalar.value < 0x2e80 ? 0.62 : 1.05
        }
    }

    /// The text, truncated with an ellipsis if it does not fit.
    static func fitting(_ text: String, within room: Double, size: Double) -> String {
        if of(text, size: size) <= room { return text }
        var kept = text
        while !kept.isEmpty, of(kept + "…", size: size) > room { kept.removeLast() }
        return kept + "…"
    }
}
