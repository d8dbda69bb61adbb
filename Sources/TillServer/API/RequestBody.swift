import TillJSON
import TillShop

/// The JSON object in a request body. Values must have the exact type: a number in quotes is not a number, and 1 is not
/// a boolean. A null means the same as a missing key.
struct RequestBody: Sendable {
    private let members: [JSONTree.Member]

    /// Parses a body. The error for a body that is not a JSON object has no error code (docs/api/errors.md).
    ///
    /// - Throws: `APIError` without an error code.
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

    /// Describes the value of a key, for an explanation.
    func words(_ key: String) -> String { "\(key) is \(self[key]?.summary ?? "missing")" }

    /// The string of a key; nil if it contains U+0000, which PostgreSQL cannot store.
    func text(_ key: String) -> String? {
        guard case .string(let text)? = self[key], !text.utf8.contains(0) else { return nil }
        return text
    }

    /// The string of a key that is compared but not stored, so that it may contain U+0000.
    func comparedText(_ key: String) -> String? {
        guard case .string(let text)? = self[key] else { return nil }
        return text
    }

    /// The whole number of a key; nil for a number with a fraction or an exponent.
    func number(_ key: String) -> Int64? {
        guard case .number(let digits)? = self[key] else { return nil }
        return Int64(digits)
    }

    func flag(_ key: String) -> Bool? {
        guard case .bool(let flag)? = self[key] else { return nil }
        return flag
    }

    /// The body as JSON text with only the given keys.
    func kept(_ keys: [String]) -> String {
        let kept = members.filter { keys.contains($0.key) && $0.value != .null }
        return String(decoding: JSONTree.object(kept).written(), as: UTF8.self)
    }
}
