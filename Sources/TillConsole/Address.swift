import Foundation
import TillServer

/// Builds and parses URLs of the console.
enum Address {
    /// Percent-encodes a path segment or a query value.
    static func escaped(_ text: String) -> String { PercentEncoding.encoded(text) }

    /// A path with its parameters filled in.
    static func of(_ path: String, _ parameters: [String: String], query: [(name: String, value: String)] = [])
        -> String
    {
        var address = path
        for (name, value) in parameters { address = address.replacing("{\(name)}", with: escaped(value)) }
        guard !query.isEmpty else { return address }
        return address + "?" + query.map { "\(escaped($0.name))=\(escaped($0.value))" }.joined(separator: "&")
    }

    /// The decoded segments of a path; nil if one is not UTF-8 or contains U+0000.
    static func parts(_ path: some StringProtocol) -> [String]? {
        let parts = path.split(separator: "/").map(\.percentDecoded)
        return parts.contains(nil) ? nil : parts.compactMap(\.self)
    }

    /// The names and values of a query or of a URL-encoded form; nil if one is not UTF-8 or contains U+0000.
    static func items(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var items: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            guard items.count < maxItems else { return nil }
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard
                let name = PercentEncoding.decoded(pair[0], plusIsSpace: true),
                let value = PercentEncoding.decoded(pair.count > 1 ? pair[1] : "", plusIsSpace: true),
                !name.utf8.contains(0), !value.utf8.contains(0)
            else { return nil }
            items.append((name, value))
        }
        return items
    }

    private static let maxItems = 500

    /// The text if it is a URL path within the console; otherwise nil. Prevents open redirects.
    static func local(_ text: String?) -> String? {
        guard
            let text, text.utf8.count <= 4_096, text.hasPrefix("/console/"), !text.contains("//"),
            text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x5c && $0 != 0x23 })
        else { return nil }
        return text
    }
}
