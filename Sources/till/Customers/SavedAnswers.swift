import TillControl
import TillJSON

/// Answers of an App Store server in files.
enum SavedAnswers {
    /// The JSON documents of a text, which follow one another. A document may be an array of answers.
    static func documents(in text: [UInt8]) throws -> [JSONTree] {
        try parts(of: text).flatMap { part in
            let tree = try JSONTree.parse(Array(part), limits: .depthOnly, keepsNull: true)
            if case .array(let elements) = tree { return elements }
            return [tree]
        }
    }

    /// The texts of the documents: each ends where its first bracket is closed.
    private static func parts(of text: [UInt8]) -> [ArraySlice<UInt8>] {
        var parts: [ArraySlice<UInt8>] = []
        var (start, depth, isInString, isEscaped) = (text.startIndex, 0, false, false)
        for (place, byte) in text.enumerated() {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""): isInString = true
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                guard depth == 0 else { continue }
                parts.append(text[start...place])
                start = place + 1
            default: break
            }
        }
        let rest = text[start...]
        let isBlank = rest.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return isBlank && !parts.isEmpty ? parts : parts + [rest]
    }

    /// The answer with decoded payloads in place of signed values, which makes it several times smaller.
    static func unsigned(_ answer: JSONTree) -> JSONObject { JSONObject(decoded(answer, key: "")) }

    private static func decoded(_ tree: JSONTree, key: String) -> JSONTree {
        switch tree {
        case .object(let members): .object(members.map { .init($0.key, decoded($0.value, key: $0.key)) })
        case .array(let elements): .array(elements.map { decoded($0, key: key) })
        case .string(let text) where key.hasPrefix("signed"):
            SignedAnswers.payload(text) ?? tree
        default: tree
        }
    }
}
