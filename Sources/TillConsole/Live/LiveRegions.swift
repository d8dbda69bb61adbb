import Crypto
import Foundation

/// Parts of a page that change while it is open. A template puts `<!--live ID-->` and `<!--/live-->` around what is
/// inside of the element that has the id; no text that people wrote can hold such a mark, since it is escaped.
enum LiveRegions {
    /// What stands in each region.
    static func of(_ html: String) -> [(id: String, html: String)] {
        var regions: [(id: String, html: String)] = []
        var rest = html[...]
        while let begin = rest.range(of: "<!--live "), let mark = rest[begin.upperBound...].range(of: "-->") {
            let id = String(rest[begin.upperBound..<mark.lowerBound])
            guard let end = rest[mark.upperBound...].range(of: "<!--/live-->") else { break }
            regions.append((id, String(rest[mark.upperBound..<end.lowerBound])))
            rest = rest[end.upperBound...]
        }
        return regions
    }

    /// By which two texts are told apart.
    ///
    /// - Parameter once: what is another at each making of a page and changes nothing on it.
    static func digest(_ html: String, apartFrom once: String = "") -> String {
        let text = once.isEmpty ? html : html.replacing(once, with: "")
        return SHA256.hash(data: Data(text.utf8)).prefix(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
            .joined()
    }

    /// What a page shows, for who asks later what has changed: `clock:1a2b3c list:4d5e6f`.
    static func summary(_ html: String, apartFrom once: String = "") -> String {
        of(html).map { "\($0.id):\(digest($0.html, apartFrom: once))" }.joined(separator: " ")
    }

    /// The digests of such a summary, by region.
    static func digests(_ summary: String) -> [String: String] {
        var digests: [String: String] = [:]
        for part in summary.prefix(8_192).split(separator: " ") {
            guard let colon = part.lastIndex(of: ":") else { continue }
            digests[String(part[..<colon])] = String(part[part.index(after: colon)...])
        }
        return digests
    }
}
