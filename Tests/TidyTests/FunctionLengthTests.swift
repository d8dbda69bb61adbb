import Testing

/// A function that fits a screen.
@Suite("Functions keep their length")
struct FunctionLengthTests {
    static let linesOfFunction = 60

    /// Longer ones, by file and name. The list only becomes shorter: an entry that is no longer needed fails.
    static let exceptions: Set<String> = [
        // Statements and migrations: one after the other, as they are.
        "Tests/TillStorageTests/SQLiteTests.swift migrations",
        // Lists of fields.
        "Sources/TillStorage/OutboxEntry.swift init", "Sources/till/ShopChoices.swift apply",
        "Tests/TillSigningTests/ReceiptTamperingTests.swift wrappings",
        // To be divided.
        "Sources/till/Serve.swift serve", "Sources/till/Serve.swift api", "Sources/TillShop/Acts.swift attempt",
        "Sources/TillShop/CustomerErasure.swift attemptErasure",
    ]

    /// Functions and initializers with their numbers of lines, from the declaration to the closing brace.
    static func functions(in file: SourceFile) -> [(name: String, line: Int, lines: Int)] {
        file.lines.indices.compactMap { start in
            let line = file.lines[start]
            guard let name = name(declaredBy: line) else { return nil }
            let indent = String(line.prefix { $0 == " " })
            // The format puts the closing brace of a function alone under its declaration.
            guard let end = file.lines[start...].firstIndex(where: { $0 == indent + "}" }) else { return nil }
            let hasBody = file.lines[start..<end].contains { $0.hasSuffix("{") }
            return hasBody ? (name, start + 1, end - start + 1) : nil
        }
    }

    /// The name of the function that a line declares; nil for any other line.
    private static func name(declaredBy line: Substring) -> String? {
        let words = line.split(separator: " ").map(String.init)
        let modifiers: Set<String> = [
            "package", "public", "private", "fileprivate", "static", "mutating", "nonisolated", "consuming", "override",
        ]
        var rest = words.drop { modifiers.contains($0) || $0.hasPrefix("@") }
        guard let first = rest.popFirst() else { return nil }
        if first == "func" { return rest.first.map { String($0.prefix { $0 != "(" && $0 != "<" }) } }
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

    @Test("No function above 60 lines, but those in the list")
    func sources() {
        Repository.sources.flatMap { Self.findings(in: $0) }.expectNone()
        let long = Repository.sources.flatMap { file in
            Self.functions(in: file).filter { $0.lines > Self.linesOfFunction }.map { "\(file.path) \($0.name)" }
        }
        #expect(Self.exceptions.subtracting(long).isEmpty, "entries that are no longer needed")
    }

    @Test("The line too many is found, in a function and in an initializer")
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
