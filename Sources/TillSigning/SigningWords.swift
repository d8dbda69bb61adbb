/// How explanations spell values that came from outside.
enum Words {
    /// The text between quotation marks, at most 60 characters of it, with control characters replaced: it ends up
    /// in journals and terminals.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(60).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}" as Unicode.Scalar
            default: scalar
            }
        }
        let shown = String(String.UnicodeScalarView(scalars))
        return text.unicodeScalars.count > 60 ? "\"\(shown)…\"" : "\"\(shown)\""
    }

    /// A length of time in words: exact below two minutes, then with minutes, hours or days beside it.
    static func seconds(_ length: Double) -> String {
        let length = length.magnitude
        // Past this a Double counts no more in ones, and an Int might not hold it.
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
