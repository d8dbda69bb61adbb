import Foundation
import TillJSON

/// Replaces ids, tokens and order ids in answers. The same value always gets the same other value.
///
/// Dates, prices, products, storefronts and the app stay, because a comparison needs them. A value is replaced for its
/// key or for its form, so that keys that Till does not know are covered, too.
struct Anonymizer {
    /// Ids of at most 19 digits.
    private static let ids: Set<String> = [
        "transactionId", "originalTransactionId", "webOrderLineItemId", "appTransactionId",
        "previousOriginalTransactionId",
    ]
    /// Values without a form of their own.
    private static let tokens: Set<String> = [
        "orderId", "revision", "paginationToken", "deviceVerification", "externalPurchaseId", "requestIdentifier",
        "requestReferenceId", "consistencyToken", "testNotificationToken",
    ]
    /// Long numbers that are about the app and not about a customer.
    private static let kept: Set<String> = [
        "appAppleId", "productId", "autoRenewProductId", "subscriptionGroupIdentifier", "storefrontId",
        "versionExternalIdentifier", "offerIdentifier", "bundleId",
    ]

    private var replacements: [String: String] = [:]
    private var counts: [String: Int] = [:]

    /// The answer with other values, and with payloads in place of signed values.
    mutating func replaced(_ answer: JSONTree) -> JSONTree { replaced(SignedAnswers.decoded(answer), key: "") }

    private mutating func replaced(_ tree: JSONTree, key: String) -> JSONTree {
        switch tree {
        case .object(let members):
            var others: [JSONTree.Member] = []
            for member in members { others.append(.init(member.key, replaced(member.value, key: member.key))) }
            return .object(others)
        case .array(let elements):
            var others: [JSONTree] = []
            for element in elements { others.append(replaced(element, key: key)) }
            return .array(others)
        case .string(let text): return .string(replaced(text, key))
        case .number(let digits) where Self.ids.contains(key): return .number(replaced(digits, key))
        default: return tree
        }
    }

    private mutating func replaced(_ text: String, _ key: String) -> String {
        if let known = replacements[text] { return known }
        let isNumber = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        let made: String
        if Self.kept.contains(key) {
            return text
        } else if key.hasPrefix("signed") {
            // It could not be decoded, and may contain anything.
            return "removed"
        } else if isNumber, Self.ids.contains(key) || text.count >= 12 {
            // 8 begins neither an id of Apple's nor one of Till's.
            let length = min(max(text.count, 12), 19)
            let digits = String(count("id"))
            made = "8" + String(repeating: "0", count: max(0, length - 1 - digits.count)) + digits
        } else if UUID(uuidString: text) != nil {
            let digits = String(count("uuid"))
            made = "00000000-0000-4000-8000-" + String(repeating: "0", count: max(0, 12 - digits.count)) + digits
        } else if Self.tokens.contains(key) || Self.ids.contains(key) {
            let prefix = text.hasPrefix("SANDBOX") ? "SANDBOX-" : ""
            made = "\(prefix)\(key)-\(count(key))"
        } else {
            return replacedInside(text)
        }
        replacements[text] = made
        return made
    }

    /// A longer text, in which ids and UUIDs may stand.
    private mutating func replacedInside(_ text: String) -> String {
        text.replacing(/[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9]{12,19}/) { found in
            replaced(String(found.output.0), "")
        }
    }

    private mutating func count(_ kind: String) -> Int {
        counts[kind, default: 0] += 1
        return counts[kind, default: 0]
    }
}
