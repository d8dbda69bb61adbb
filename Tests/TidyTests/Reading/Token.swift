/// A word, a punctuation character, or the opening or closing delimiter of a string.
struct Token: Sendable {
    let text: String
    /// The line number, counted from 1.
    let line: Int
    /// True if white space or a comment precedes the token, or if it is the first.
    let isAfterSpace: Bool

    /// True for identifiers, keywords and numbers.
    var isWord: Bool { text.utf8.first.map(Tokenizer.isWordByte) ?? false }
}
