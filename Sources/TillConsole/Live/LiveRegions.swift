import Crypto
import Foundation
import TillSigning

/// The parts of a page that are updated while it is open. In a template, `<!--live ID-->` and `<!--/live-->` enclose
/// the content of the element with that id. User input cannot contain these comments, because it is escaped.
enum LiveRegions {
    /// The regions of a page.
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

    /// A short hash that detects changes.
    ///
    /// - Parameter once: a value that differs in every rendering. The digest ignores it.
    static func digest(_ html: String, apartFrom once: String = "") -> String {
        let text = once.isEmpty ? html : html.replacing(once, with: "")
        return Hexadecimal.text(SHA256.hash(data: Data(text.utf8)).prefix(6))
    }

    /// The digests of a page's regions, which the browser sends to request later changes: `clock:1a2b3c list:4d5e6f`.
    static func summary(_ html: String, apartFrom once: String = "") -> String {
        of(html).map { "\($0.id):\(digest($0.html, apartFrom: once))" }.joined(separator: " ")
    }

    /// The digests in a summary, by region.
    static func digests(_ summary: String) -> [String: String] {
        var digests: [String: String] = [:]
        for part in summary.prefix(8_192).split(separator: " ") {
            guard let colon = part.lastIndex(of: ":") else { continue }
            digests[String(part[..<colon])] = String(part[part.index(after: colon)...])
        }
        return digests
    }
}
