/// How explanations quote untrusted values.
enum Words {
    /// At most 60 characters of the text between quotation marks, without control characters, because it appears in
    /// logs and terminals.
    static func quoted(_ text: String) -> String {
        let shown = printable(String(text.unicodeScalars.prefix(60)))
        return text.unicodeScalars.count > 60 ? "\"\(shown)…\"" : "\"\(shown)\""
    }

    /// The text without control characters.
    static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}" as Unicode.Scalar
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// A length of time in words: exact below two minutes, longer ones also in minutes, hours or days.
    static func seconds(_ length: Double) -> String {
        let length = length.magnitude
        // Above this a Double cannot represent all integers, and an Int might overflow.
        guard length < 1e15 else { return "more than thirty million years" }
        // Rounded up, so that a little more than an hour does not read as exactly an hour.
        let count = Int(length.rounded(.up))
        let exact = count == 1 ? "1 second" : "\(count) seconds"
        switch count {
        case ..<120: return exact
        case ..<7_200: return "\(exact) (\(count / 60) minutes)"
        case ..<172_800: return "\(exact) (\(count / 3_600) hours)"
        default: return "\(exact) (\(count / 86_400) days)"
        }
    }
}
