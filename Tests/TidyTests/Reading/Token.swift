/// A word, a single punctuation mark, or one of a string's two delimiters.
struct Token: Sendable {
    let text: String
    /// The line, counted from 1.
    let line: Int
    /// True if white space, a comment or nothing precedes it.
    let isAfterSpace: Bool

    /// True for identifiers, keywords and numbers.
    var isWord: Bool { text.utf8.first.map(Tokenizer.isWordByte) ?? false }
}
