/// Base64 for URLs and file names (RFC 4648 section 5) without padding, as in JWS segments.
package enum Base64URL {
    /// The number of characters for `byteCount` bytes.
    package static func encodedCount(of byteCount: Int) -> Int {
        Base64Alphabet.encodedCount(of: byteCount)
    }

    /// The encoded characters (ASCII) of `bytes`.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        Base64Alphabet.urlSafe.append(bytes, to: &text)
        return text
    }

    /// Appends the characters of `bytes` to a buffer.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        Base64Alphabet.urlSafe.append(bytes, to: &text)
    }

    /// Decodes `text`.
    ///
    /// - Returns: nil when `text` has padding, white space or another invalid character, or differs from what
    ///   ``encode(_:)`` gives for the same bytes (unused bits are set).
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        Base64Alphabet.urlSafe.decode(text)
    }

    /// ``decode(_:)-(ArraySlice<UInt8>)`` for a string.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }
}
