extension StringProtocol {
    /// Whether a text has a length in bytes, and only ASCII letters, digits and other given characters.
    package func isPlain(_ length: ClosedRange<Int>, and others: String = "") -> Bool {
        length.contains(utf8.count)
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: others.utf8.contains(byte)
                }
            }
    }
}

/// Formats values for explanations.
package enum Words {
    /// Quotes an untrusted text. Because the result appears in logs and terminals, it has at most 60 characters, and
    /// control characters are replaced.
    package static func quoted(_ text: String) -> String {
        let shown = printable(String(text.unicodeScalars.prefix(60)))
        return text.unicodeScalars.count > 60 ? "\"\(shown)…\"" : "\"\(shown)\""
    }

    /// The text without control characters.
    package static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}" as Unicode.Scalar
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(scalars))
    }

    /// Describes a duration in seconds. From two minutes on, the text also contains minutes, hours or days.
    package static func seconds(_ length: Double) -> String {
        let length = length.magnitude
        // A Double cannot represent all larger integers, and an Int might overflow.
        guard length < 1e15 else { return "more than thirty million years" }
        // Rounded up, so that slightly more than an hour is not shown as exactly one hour.
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
