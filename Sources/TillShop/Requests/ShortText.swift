extension String {
    /// Cuts the text to a number of bytes. The limit counts bytes, because a single character of an untrusted text may
    /// have any length. If the cut falls within a character, a replacement character takes its place.
    package func cut(toBytes limit: Int) -> String {
        utf8.count <= limit ? self : String(decoding: utf8.prefix(limit), as: UTF8.self)
    }
}
