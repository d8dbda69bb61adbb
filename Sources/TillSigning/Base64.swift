/// Standard Base64 (RFC 4648 section 4), padded, on one line: for `x5c` certificates, offer signatures and device
/// verification in JSON.
package enum Base64 {
    private static let padding = UInt8(ascii: "=")

    /// The Base64 text of `bytes`, padded to a multiple of four characters.
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
    /// - Returns: nil when `text` lacks its padding, has white space or invalid characters, or differs from what
    ///   ``encode(_:)`` gives for the same bytes.
    package static func decode(_ text: String) -> [UInt8]? {
        var characters = Array(text.utf8)[...]
        guard characters.count % 4 == 0 else { return nil }
        // At most two of the last four characters are padding: a byte takes at least two characters.
        for _ in 0..<2 where characters.last == padding {
            characters.removeLast()
        }
        return Base64Alphabet.standard.decode(characters)
    }
}
