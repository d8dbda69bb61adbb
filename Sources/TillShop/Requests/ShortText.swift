extension String {
    /// At most this many bytes of the text. Untrusted text may be one character of any length, so bytes are counted; a
    /// character that is cut becomes a replacement character.
    package func cut(toBytes limit: Int) -> String {
        utf8.count <= limit ? self : String(decoding: utf8.prefix(limit), as: UTF8.self)
    }
}
