/// A JSON document as it was written: numbers keep their digits, and objects their order.
///
/// Foundation's parser turns 4.99 into a binary fraction and silently accepts repeated keys; a catalog needs exact
/// prices and an error for repeated keys.
package enum JSONTree: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The digits of the text, already checked against the grammar.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    /// A key of an object with its value.
    package struct Member: Equatable, Sendable {
        /// With its escapes resolved.
        package var key: String
        /// Any JSON value, `null` included.
        package var value: JSONTree

        /// A key with its value.
        package init(_ key: String, _ value: JSONTree) {
            self.key = key
            self.value = value
        }
    }
}

// MARK: Messages

extension JSONTree {
    /// The kind of value.
    package var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// A description that fits after "found".
    package var summary: String {
        switch self {
        case .null, .object: kind
        case .bool(let value): "\(value)"
        case .number(let digits): "the number \(JSONTree.short(digits))"
        case .string(let text): "the string \"\(JSONTree.short(text))\""
        case .array(let elements): elements.isEmpty ? "an empty array" : kind
        }
    }

    /// A text cut to a length for a message, on one line.
    package static func short(_ text: String) -> String {
        // A single character may have any length.
        let start = cut(text, toBytes: 60 * 4).prefix(60)
        let line = String(start.map { $0.isNewline || $0 == "\t" ? " " : $0 })
        return start.utf8.count < text.utf8.count ? line + "…" : line
    }

    /// The path of a member of the object at a path: `$.a.b`, or `$.a["b c"]` for a key that is not a plain word, or
    /// too long for one.
    package static func path(_ parent: String, _ key: String) -> String { parent + step(to: key) }

    static func step(to key: String) -> String {
        let isWord =
            (1...64).contains(key.utf8.count)
            && key.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || $0 == 0x5F
            }
        guard !isWord else { return ".\(key)" }
        let text = short(key)
        return "[\"\(text.utf8.count <= 64 ? text : cut(text, toBytes: 64) + "…")\"]"
    }

    private static func cut(_ text: String, toBytes limit: Int) -> String {
        text.utf8.count <= limit ? text : String(decoding: text.utf8.prefix(limit), as: UTF8.self)
    }
}
