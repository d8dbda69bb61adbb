import TillJSON
import TillShop

/// The JSON object in a request body. Types are strict: a quoted number is not a number, 1 is not a boolean, and null
/// counts as missing.
struct RequestBody: Sendable {
    private let members: [JSONTree.Member]

    /// Parses a body. The error for a body that is not a JSON object has no code (docs/api/errors.md).
    ///
    /// - Throws: `APIError` without a code.
    init(_ bytes: [UInt8]) throws {
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(bytes, keepsNull: true)
        } catch {
            let fault = RequestLogBody.mayHoldSecret(bytes) ? error.withoutExcerpt : error.faults[0]
            throw APIError.malformed("The body is not JSON: \(fault)")
        }
        guard case .object(let members) = tree else { throw APIError.malformed("The body is not a JSON object.") }
        self.members = members
    }

    /// The value of a key, of any type; nil if missing.
    subscript(key: String) -> JSONTree? {
        members.first { $0.key == key }.flatMap { $0.value == .null ? nil : $0.value }
    }

    /// Describes the value of a key in words.
    func words(_ key: String) -> String { "\(key) is \(self[key]?.summary ?? "missing")" }

    /// A string; nil if it contains U+0000, which PostgreSQL cannot store.
    func text(_ key: String) -> String? {
        guard case .string(let text)? = self[key], !text.utf8.contains(0) else { return nil }
        return text
    }

    /// A string that is only compared and so may contain U+0000.
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

    /// The body reduced to some keys, as text.
    func kept(_ keys: [String]) -> String {
        let kept = members.filter { keys.contains($0.key) && $0.value != .null }
        return String(decoding: JSONTree.object(kept).written(), as: UTF8.self)
    }
}
