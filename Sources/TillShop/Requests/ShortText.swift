import TillSigning

extension String {
    /// Whether a text is the name of a token or a snapshot: 1 to 64 letters, digits, dots, dashes and underscores,
    /// beginning with a letter or a digit. Till uses names that begin with a dot for temporary snapshots.
    package var isObjectName: Bool { isPlain(1...64, and: ".-_") && prefix(1).isPlain(1...1) }

    /// Cuts the text to a number of bytes. The limit counts bytes, because a single character of an untrusted text may
    /// have any length. If the cut falls within a character, a replacement character takes its place.
    package func cut(toBytes limit: Int) -> String {
        utf8.count <= limit ? self : String(decoding: utf8.prefix(limit), as: UTF8.self)
    }
}
