import AppStoreServer
import TillCore
import TillJSON
import TillShop
import TillSigning

/// Reads the signed values in answers, without a check of their signatures.
enum SignedAnswers {
    /// The payload of a compact JWS; nil for any other text.
    static func payload(_ text: String) -> JSONTree? {
        let jws = try? CompactJWS(text, limit: SignedDataVerifier.maxBytes, depth: JSONLimits.depthOnly.depth)
        return jws.flatMap { try? JSONTree.parse($0.payload, limits: .depthOnly, keepsNull: true) }
    }

    /// The payload of a member of an object.
    static func payload(_ tree: JSONTree, _ key: String) -> JSONTree? { tree[key]?.text.flatMap(payload) }

    /// The payloads of a signed member of answers, one value per line.
    static func lines(_ answers: [JSONTree], _ key: String) -> String {
        answers.compactMap { payload($0, key) }.map { Output.lines($0) }.joined(separator: "\n")
    }

    /// The payloads of the transactions in the pages of a list.
    static func transactions(in pages: [JSONTree]) -> [JSONTree] {
        pages.flatMap { $0["signedTransactions"]?.elements ?? [] }.compactMap { $0.text.flatMap(payload) }
    }

    /// The transactions in the pages of a history, one value per line.
    static func history(_ pages: [JSONTree]) -> String {
        transactions(in: pages).map { Output.lines($0) + "\n" }.joined(separator: "\n")
    }

    /// The value with decoded payloads in place of signed values, also of those in payloads.
    static func decoded(_ tree: JSONTree) -> JSONTree {
        switch tree {
        case .object(let members): .object(members.map { .init($0.key, decoded($0.value)) })
        case .array(let elements): .array(elements.map(decoded))
        case .string(let text): payload(text).map(decoded) ?? tree
        default: tree
        }
    }
}

// Cells of tables.
extension JSONTree {
    /// The text of a member; a dash if it is missing.
    func cell(_ key: String) -> String { self[key]?.text ?? "-" }

    /// The date of a member, in milliseconds since 1970; a dash if it is missing.
    func dateCell(_ key: String) -> String {
        (self[key]?.text).flatMap { Int64($0) }.map { Timestamp(milliseconds: $0).iso8601 } ?? "-"
    }

    /// The price of a member with its currency; a dash if it is missing.
    func priceCell(_ key: String = "price") -> String {
        self[key]?.number.map { Money(milliunits: $0, currency: self["currency"]?.text ?? "").words } ?? "-"
    }
}
