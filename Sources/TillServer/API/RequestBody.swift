import TillShop

/// The JSON object that a request carries. Values are strict: a number in quotes is no number, 1 is no truth, and null
/// is nothing.
struct RequestBody: Sendable {
    private let members: [JSONTree.Member]

    /// Reads a body. One that is no JSON object has no error code (docs/api/errors.md).
    ///
    /// - Throws: `APIError` without a code.
    init(_ bytes: [UInt8]) throws {
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(bytes, keepsNull: true)
        } catch {
            let words = String(describing: error.faults[0])
            throw APIError.malformed("The body is not JSON: \(Self.harmless(words, of: bytes))")
        }
        guard case .object(let members) = tree else { throw APIError.malformed("The body is not a JSON object.") }
        self.members = members
    }

    /// What is wrong with a body, without a piece of it where that may be a secret's.
    private static func harmless(_ words: String, of bytes: [UInt8]) -> String {
        guard RequestLogBody.mayHoldSecret(bytes), let found = words.firstRange(of: "found `"),
            let end = words.lastIndex(of: "`"), found.upperBound <= end
        else { return words }
        return "\(words[..<found.lowerBound])found something else\(words[words.index(after: end)...])"
    }

    /// The value of a key, whatever it is; nil when there is none.
    subscript(key: String) -> JSONTree? {
        members.first { $0.key == key }.flatMap { $0.value == .null ? nil : $0.value }
    }

    /// What stands under a key, in words.
    func words(_ key: String) -> String { "\(key) is \(self[key]?.summary ?? "missing")" }

    /// A text. One with U+0000, which not every engine can keep, is none.
    func text(_ key: String) -> String? {
        guard case .string(let text)? = self[key], !text.utf8.contains(0) else { return nil }
        return text
    }

    /// A text that is only compared, and so may have U+0000.
    func comparedText(_ key: String) -> String? {
        guard case .string(let text)? = self[key] else { return nil }
        return text
    }

    /// A whole number, written without a fraction or an exponent.
    func number(_ key: String) -> Int64? {
        guard case .number(let digits)? = self[key] else { return nil }
        return Int64(digits)
    }

    func flag(_ key: String) -> Bool? {
        guard case .bool(let flag)? = self[key] else { return nil }
        return flag
    }

    /// The same body with nothing but some keys, as text.
    func kept(_ keys: [String]) -> String {
        let kept = members.filter { keys.contains($0.key) && $0.value != .null }
        return String(decoding: JSONTree.object(kept).written(), as: UTF8.self)
    }
}
