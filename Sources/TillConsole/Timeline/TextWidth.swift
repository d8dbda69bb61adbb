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
