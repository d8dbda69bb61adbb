/// Standard Base64 (RFC 4648 section 4), padded, on one line: certificates in `x5c`, offer signatures, verification
/// data in JSON.
package enum Base64 {
    private static let padding = UInt8(ascii: "=")

    /// The characters for `bytes`, padded to a multiple of four.
    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        Base64Alphabet.standard.append(bytes, to: &text)
        while text.count % 4 != 0 {
            text.append(padding)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that `text` stands for.
    ///
    /// - Returns: nil when `text` lacks its padding, has white space or foreign characters, or is not the one
    ///   spelling that ``encode(_:)`` gives.
    package static func decode(_ text: String) -> [UInt8]? {
        var characters = Array(text.utf8)[...]
        guard characters.count % 4 == 0 else { return nil }
        // A group of four is never all padding: two characters are the least that make a byte.
        for _ in 0..<2 where characters.last == padding {
            characters.removeLast()
        }
        return Base64Alphabet.standard.decode(characters)
    }
}
