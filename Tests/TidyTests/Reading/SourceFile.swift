/// A Swift file and its tokens.
struct SourceFile: Sendable {
    /// The path, relative to the root of the repository.
    let path: String
    /// The lines, including comments.
    let lines: [Substring]
    /// The tokens. Comments and the contents of strings are left out.
    let tokens: [Token]

    init(_ path: String, _ text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        tokens = Tokenizer.tokens(of: text)
    }

    /// The module, which is the name of the folder in `Sources` or `Tests`.
    var module: String {
        let parts = path.split(separator: "/")
        return parts.count > 1 ? String(parts[1]) : ""
    }

    /// The text of the token at an index; "" outside of the file.
    func text(_ index: Int) -> String {
        tokens.indices.contains(index) ? tokens[index].text : ""
    }

    /// True if the tokens that begin at an index have these texts.
    func has(_ texts: [String], at index: Int) -> Bool {
        texts.indices.allSatisfy { text(index + $0) == texts[$0] }
    }

    /// A finding at the line of a token.
    func finding(at index: Int, _ message: String) -> Finding {
        Finding(path: path, line: tokens[index].line, message: message)
    }
}
