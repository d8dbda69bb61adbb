/// Base64 for URLs and file names (RFC 4648 section 5) without padding, as JWS uses it.
package enum Base64URL {
    /// The number of characters for `byteCount` bytes.
    package static func encodedCount(of byteCount: Int) -> Int {
        Base64Alphabet.encodedCount(of: byteCount)
    }

    /// Encodes `bytes` as ASCII characters.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        Base64Alphabet.urlSafe.append(bytes, to: &text)
        return text
    }

    /// Encodes `bytes` and appends the characters to a buffer.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        Base64Alphabet.urlSafe.append(bytes, to: &text)
    }

    /// Decodes `text`.
    ///
    /// - Returns: nil if `text` contains padding, white space or another invalid character, or differs from the result
    ///   of ``encode(_:)`` for the same bytes because unused bits are set.
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        Base64Alphabet.urlSafe.decode(text)
    }

    /// Decodes a string in the same way as ``decode(_:)-(ArraySlice<UInt8>)``.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }
}
