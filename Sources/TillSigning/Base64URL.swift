/// Base64 for URLs and filenames (RFC 4648 section 5) without padding: the spelling of every JWS segment.
package enum Base64URL {
    /// How many characters `byteCount` bytes take.
    package static func encodedCount(of byteCount: Int) -> Int {
        Base64Alphabet.encodedCount(of: byteCount)
    }

    /// The characters (ASCII) for `bytes`.
    package static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        Base64Alphabet.urlSafe.append(bytes, to: &text)
        return text
    }

    /// Appends the characters for `bytes` to a buffer under construction.
    package static func append(_ bytes: [UInt8], to text: inout [UInt8]) {
        Base64Alphabet.urlSafe.append(bytes, to: &text)
    }

    /// The bytes that `text` stands for.
    ///
    /// - Returns: nil when `text` has padding, white space or any other foreign character, or is not the one
    ///   spelling that ``encode(_:)`` gives (unused bits set).
    package static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        Base64Alphabet.urlSafe.decode(text)
    }

    /// ``decode(_:)-(ArraySlice<UInt8>)`` for text at hand as a string.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8)[...])
    }
}
