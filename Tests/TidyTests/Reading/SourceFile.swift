/// A Swift file and its tokens.
struct SourceFile: Sendable {
    /// The path, relative to the repository's root.
    let path: String
    /// The lines, including comments.
    let lines: [Substring]
    /// The tokens, without comments and without the contents of strings.
    let tokens: [Token]

    init(_ path: String, _ text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        tokens = Tokenizer.tokens(of: text)
    }

    /// The module: the folder below `Sources`.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 1 ? String(parts[1]) : ""
    }

    /// The text of the token at an offset from another, or "" beyond the ends.
    func text(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    /// True if the tokens from an index on have these texts.
    func has(_ texts: [String], at index: Int) -> Bool {
        texts.indices.allSatisfy { text(index + $0) == texts[$0] }
    }

    /// A finding at a token.
    func finding(at index: Int, _ message: String) -> Finding {
        Finding(path: path, line: tokens[index].line, message: message)
    }
}
