import Testing

/// Limits the length of functions.
@Suite("Functions are not too long")
struct FunctionLengthTests {
    static let linesOfFunction = 60

    /// Functions that may be longer, by file and name. The list may only become shorter: an unneeded entry is a
    /// finding.
    static let exceptions: Set<String> = []

    /// The functions and initializers of a file, each with its number of lines from the declaration to the closing
    /// brace.
    static func functions(in file: SourceFile) -> [(name: String, line: Int, lines: Int)] {
        file.lines.indices.compactMap { start in
            let line = file.lines[start]
            guard let name = name(declaredBy: line), hasBody(file.lines[start...]) else { return nil }
            let indent = String(line.prefix { $0 == " " })
            // The formatter puts a function's closing brace on its own line, with the indentation of the declaration.
            let end = file.lines[start...].firstIndex { $0 == indent + "}" }
            return end.map { (name, start + 1, $0 - start + 1) }
        }
    }

    /// Whether a declaration has a body of several lines, that is, an opening brace after all parentheses are closed. A
    /// requirement of a protocol has no body.
    private static func hasBody(_ lines: ArraySlice<Substring>) -> Bool {
        var depth = 0
        for (index, line) in zip(lines.indices, lines) {
            depth += line.count { $0 == "(" } - line.count { $0 == ")" }
            guard depth == 0 else { continue }
            if line.hasSuffix("{") { return true }
            let next = lines.indices.contains(index + 1) ? lines[index + 1].drop { $0 == " " } : ""
            guard ["->", "where ", "{"].contains(where: next.hasPrefix) else { return false }
        }
        return false
    }

    /// The name of the function that a line declares; nil for any other line.
    private static func name(declaredBy line: Substring) -> String? {
        let words = line.split(separator: " ").map(String.init)
        let modifiers: Set<String> = [
            "package", "public", "private", "fileprivate", "static", "mutating", "nonisolated", "consuming", "override",
        ]
        var rest = words.drop { modifiers.contains($0) || $0.hasPrefix("@") }
        guard let first = rest.popFirst() else { return nil }
        if first == "func" { return rest.first.map { String($0.prefix { $0 != "(" && $0 != "<" }) } ?? "func" }
        let isInit = ["init(", "init?(", "init<"].contains { first.hasPrefix($0) }
        return isInit ? "init" : nil
    }

    static func findings(in file: SourceFile, except exceptions: Set<String> = exceptions) -> [Finding] {
        functions(in: file).filter { $0.lines > linesOfFunction && !exceptions.contains("\(file.path) \($0.name)") }.map
        {
            let message = "\($0.name) has \($0.lines) lines, and \(linesOfFunction) are the most: divide it"
            return Finding(path: file.path, line: $0.line, message: message)
        }
    }

    @Test("No function has more than 60 lines, except those in the list")
    func sources() {
        Repository.sources.flatMap { Self.findings(in: $0) }.expectNone()
        let long = Repository.sources.flatMap { file in
            Self.functions(in: file).filter { $0.lines > Self.linesOfFunction }.map { "\(file.path) \($0.name)" }
        }
        #expect(Self.exceptions.subtracting(long).isEmpty, "entries that are no longer needed")
    }

    @Test("A function and an initializer with 61 lines are found")
    func found() {
        func source(_ declaration: String, _ lines: Int) -> SourceFile {
            let body = String(repeating: "        a()\n", count: lines - 2)
            return SourceFile("A.swift", "struct A {\n    \(declaration) {\n\(body)    }\n}\n")
        }
        for declaration in ["func a()", "package mutating func b<T>(_ t: T) throws", "init(a: Int)", "private init?()"]
        {
            #expect(Self.findings(in: source(declaration, 61)).map(\.line) == [2], "\(declaration)")
            #expect(Self.findings(in: source(declaration, 60)).isEmpty, "\(declaration)")
        }
    }
}
