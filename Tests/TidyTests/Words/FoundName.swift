/// A name in the repository, with one of its locations.
struct FoundName: Sendable {
    enum Kind: Hashable, Sendable {
        /// An identifier in Swift code, a function or class in Python, or a CSS class.
        case identifier
        /// A type declared in Swift code, or the name of a Swift file or template.
        case type
        /// A function declared in Swift code.
        case function
        /// A file or a folder.
        case path
        /// The title of a test or of a suite.
        case title
    }

    let text: String
    let kind: Kind
    let path: String
    var line: Int?
    /// The words of the name, in lower case.
    let parts: [String]

    init(_ text: String, _ kind: Kind, path: String, line: Int? = nil) {
        self.text = text
        self.kind = kind
        self.path = path
        self.line = line
        parts = ListedWord.parts(of: text)
    }

    // MARK: Swift

    private static let typeKeywords: Set = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    /// The identifiers, declared types, declared functions and test titles of a Swift file, each once.
    static func names(in file: SourceFile) -> [FoundName] {
        var seen: Set<String> = []
        var names: [FoundName] = []
        for (index, token) in file.tokens.enumerated() where token.isWord {
            if seen.insert(token.text).inserted {
                names.append(FoundName(token.text, .identifier, path: file.path, line: token.line))
            }
            let keyword = file.text(index - 1)
            if typeKeywords.contains(keyword) {
                names.append(FoundName(token.text, .type, path: file.path, line: token.line))
            } else if keyword == "func" {
                names.append(FoundName(token.text, .function, path: file.path, line: token.line))
            }
        }
        return names + titles(in: file)
    }

    /// The titles in `@Test("…")` and `@Suite("…")`, also if the title is on the line after the opening parenthesis.
    private static func titles(in file: SourceFile) -> [FoundName] {
        file.lines.indices.compactMap { index in
            let line = file.lines[index].drop { $0 == " " }
            guard line.hasPrefix("@Test(") || line.hasPrefix("@Suite(") else { return nil }
            let isLast = line.hasSuffix("(") && index + 1 < file.lines.count
            let parts = (isLast ? file.lines[index + 1] : line).split(separator: "\"", omittingEmptySubsequences: false)
            guard parts.count > 2 else { return nil }
            return FoundName(String(parts[1]), .title, path: file.path, line: index + 1)
        }
    }

    // MARK: Other files

    /// The names of a file and of its folders. The text after the first period is left out.
    static func names(inPath path: String) -> [FoundName] {
        let segments = path.split(separator: "/").compactMap { $0.split(separator: ".").first.map(String.init) }
        let names = segments.map { FoundName($0, .path, path: path) }
        guard let last = segments.last, path.hasSuffix(".swift") || path.hasSuffix(".mustache") else { return names }
        return names + last.split(separator: "+").map { FoundName(String($0), .type, path: path) }
    }

    /// The functions and classes of a Python file.
    static func names(inPython text: String, path: String) -> [FoundName] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let words = line.split(separator: " ", maxSplits: 3).drop { $0 == "async" }
            guard let keyword = words.first, keyword == "def" || keyword == "class", words.count > 1 else { return nil }
            let name = words[words.startIndex + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            return FoundName(String(name), .identifier, path: path, line: index + 1)
        }
    }

    /// The classes in a style sheet.
    static func names(inStyles text: String, path: String) -> [FoundName] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            line.split(separator: ".", omittingEmptySubsequences: false).dropFirst().compactMap { rest in
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
                guard name.first?.isLetter == true else { return nil }
                return FoundName(String(name), .identifier, path: path, line: index + 1)
            }
        }
    }
}
