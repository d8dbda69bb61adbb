import TillSigning

/// Percent-encoding of paths and forms, which changes no byte. Foundation's decoder removes a leading byte
/// order mark, so that two different names would become equal.
package enum PercentEncoding {
    /// The decoded text; nil if a `%` is not followed by two hexadecimal digits, or the bytes are not UTF-8.
    ///
    /// - Parameter plusIsSpace: whether `+` means a space, as in queries and forms.
    package static func decoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            switch byte {
            case UInt8(ascii: "%"):
                guard
                    let high = rest.next().flatMap(Hexadecimal.value(of:)),
                    let low = rest.next().flatMap(Hexadecimal.value(of:))
                else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// The text with every byte encoded but letters, digits and `-._~` (RFC 3986 §2.3), for a path segment or a value.
    package static func encoded(_ text: some StringProtocol) -> String {
        guard !text.utf8.allSatisfy(isUnreserved) else { return String(text) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count * 3)
        for byte in text.utf8 {
            if isUnreserved(byte) {
                bytes.append(byte)
            } else {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(contentsOf: Hexadecimal.text([byte]).uppercased().utf8)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~".utf8.contains(byte)
        }
    }
}

extension StringProtocol {
    /// A decoded path component; nil for invalid UTF-8 or U+0000, which PostgreSQL cannot store.
    package var percentDecoded: String? {
        // Most components contain no `%`, so they need no decoding.
        guard utf8.contains(UInt8(ascii: "%")) else { return utf8.contains(0) ? nil : String(self) }
        return PercentEncoding.decoded(self).flatMap { $0.utf8.contains(0) ? nil : $0 }
    }
}
