import TillShop
import TillSigning

/// The authority of a request: the value of `Host` or `:authority` (RFC 9112 §3.2), which is an authority of RFC 3986
/// without user information. All listeners and the console parse it with this type.
package struct RequestAuthority: Hashable, Sendable, CustomStringConvertible {
    /// The host in lower case, with an IPv6 address in brackets; empty if the field is empty.
    package let host: String
    /// The port; nil if the authority has none.
    package let port: Int?

    /// Parses an authority; nil if it is malformed.
    package init?(_ text: String) {
        // Non-ASCII letters are refused, because lowercasing can turn some of them into ASCII letters.
        guard text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let text = text.lowercased()
        var rest = text[...]
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            let address = text[text.index(after: text.startIndex)..<end]
            guard address.contains(":"), IPAddress(String(address)) != nil else { return nil }
            rest = text[text.index(after: end)...]
        } else {
            rest = text.drop { $0 != ":" }
            guard Self.isRegisteredName(text[..<rest.startIndex]) else { return nil }
        }
        host = String(text[..<rest.startIndex])
        let digits = rest.dropFirst()
        guard rest.isEmpty || rest.hasPrefix(":"), digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
        guard !digits.isEmpty else {
            port = nil
            return
        }
        guard let number = Int(digits), (0...65_535).contains(number) else { return nil }
        port = number
    }

    /// Whether a name has only characters of `unreserved`, `pct-encoded` and `sub-delims` in RFC 3986.
    private static func isRegisteredName(_ name: Substring) -> Bool {
        var bytes = name.utf8[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            case _ where Array("-._~!$&'()*+,;=".utf8).contains(byte): continue
            case UInt8(ascii: "%"):
                guard
                    let high = bytes.popFirst(), let low = bytes.popFirst(), Hexadecimal.value(of: high) != nil,
                    Hexadecimal.value(of: low) != nil
                else { return false }
            default: return false
            }
        }
        return true
    }

    package var description: String { port.map { "\(host):\($0)" } ?? host }
}
