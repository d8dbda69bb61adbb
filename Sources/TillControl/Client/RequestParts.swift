import Foundation
import TillJSON

/// A request, split into what is sent in the path and query, and what is sent in the body.
package struct RequestParts: Sendable {
    /// The path parameters.
    package let path: [String: String]
    /// The names and values in the query.
    package let query: [(name: String, value: String)]
    /// The properties that are sent in the body.
    package let others: [JSONTree.Member]
    /// The path with the query.
    let target: String
    /// The body; nil for an operation without a body.
    let body: JSONTree?

    /// - Throws: an error of a type that cannot be encoded.
    package init<Request: ControlCallable>(_ request: Request) throws {
        let operation = Request.operation
        let names = Set(operation.pathParameters)
        var path: [String: String] = [:]
        var others: [JSONTree.Member] = []
        var asked: [JSONTree.Member] = []
        for member in try JSONTree(encoding: request).members {
            if names.contains(member.key) {
                path[member.key] = member.value.text
            } else if !member.value.members.isEmpty, member.value.members.allSatisfy({ names.contains($0.key) }) {
                for part in member.value.members { path[part.key] = part.value.text }
            } else if Request.isInQuery(member.key) {
                asked.append(member)
            } else {
                others.append(member)
            }
        }
        (self.path, self.others) = (path, others)
        let steps = operation.path.split(separator: "/").map { step -> String in
            guard step.hasPrefix("{") else { return String(step) }
            return Self.encoded(path[String(step.dropFirst().dropLast())] ?? "")
        }
        query = asked.flatMap { member in
            let values = member.value.elements.isEmpty ? [member.value] : member.value.elements
            return values.compactMap(\.text).map { (name: member.key, value: $0) }
        }
        let asking = query.map { "\($0.name)=\(Self.encoded($0.value))" }.joined(separator: "&")
        target = "/" + steps.joined(separator: "/") + (asking.isEmpty ? "" : "?" + asking)
        body = others.isEmpty ? nil : .object(others)
    }

    /// The text with every byte encoded but letters, digits and `-._~` (RFC 3986 §2.3).
    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )
}
