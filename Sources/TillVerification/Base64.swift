/// Standard Base64 (RFC 4648 section 4) with padding and without line breaks. It encodes `x5c` certificates, offer
/// signatures and `deviceVerification`.
package enum Base64 {
    private static let padding = UInt8(ascii: "=")

    /// Encodes `bytes`, padded to a multiple of four characters.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64Alphabet.standard.append(bytes, to: &text)
        while text.count % 4 != 0 {
            text.append(padding)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes `text`.
    ///
    /// - Returns: nil if `text` lacks its padding, contains white space or invalid characters, or differs from the
    ///   result of ``encode(_:)`` for the same bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        return characters.count % 4 == 0 ? decode(unpadded: characters) : nil
    }

    /// Decodes `characters`, with at most two characters of padding, which may be missing.
    package static func decode(unpadded characters: [UInt8]) -> [UInt8]? {
        var characters = characters[...]
        // At most two characters are padding, because the last four characters encode at least one byte, which needs
        // two characters.
        for _ in 0..<2 where characters.last == padding {
            characters.removeLast()
        }
        return Base64Alphabet.standard.decode(characters)
    }
}
