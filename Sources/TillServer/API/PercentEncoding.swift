/// Decodes percent-encoded paths and forms without changing any byte. Foundation's decoder removes a leading byte
/// order mark, so that two different names would become the same name.
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
                guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return nil }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
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
