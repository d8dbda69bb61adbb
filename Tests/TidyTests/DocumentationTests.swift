import Testing

/// Checks that every declaration that other modules can use has a doc comment. A member that implements a requirement
/// of a protocol needs none, because the requirement is documented.
@Suite("Package and public declarations are documented")
struct DocumentationTests {
    /// - Parameter explained: The names of the members that Till's own protocols require.
    static func findings(in file: SourceFile, explained: Set<String> = []) -> [Finding] {
        let offered = file.tokens.indices.compactMap { index -> (Int, Declaration)? in
            guard let declaration = Declaration(accessLevelAt: index, in: file) else { return nil }
            let isMember = ["func", "var", "let"].contains(declaration.kind)
            let isExplained =
                (isMember || declaration.kind == "typealias") && explained.contains(declaration.name)
                || declaration.kind == "init" && isContract(file)
            guard !declaration.isOverride, !declaration.isStandardWitness, !isExplained else { return nil }
            return (index, declaration)
        }
        let bare = (offered + requirements(in: file)).filter { !isDocumented(at: $0.0, in: file) }
        return bare.map { index, declaration in
            let name = declaration.name.isEmpty ? declaration.kind : "\(declaration.kind) \(declaration.name)"
            return file.finding(at: index, "\(name) has no doc comment: say above it with /// what it is for")
        }
    }

    /// Whether a file declares requests or answers of the control API. The parameters of their initializers are their
    /// properties, which are documented.
    private static func isContract(_ file: SourceFile) -> Bool {
        ["Operations", "Answers"].contains { file.path.hasPrefix("Sources/TillControl/\($0)/") }
    }

    /// The requirements of the protocols in a file.
    static func requirements(in file: SourceFile) -> [(Int, Declaration)] {
        var found: [(Int, Declaration)] = []
        for start in file.tokens.indices where file.text(start) == "protocol" && file.text(start - 1) != "." {
            var depth = 0
            for index in (start + 1)..<file.tokens.count {
                let word = file.text(index)
                depth += word == "{" ? 1 : word == "}" ? -1 : 0
                if depth == 0, word == "}" { break }
                if depth == 1, ["func", "var", "init", "subscript", "associatedtype"].contains(word) {
                    found.append((index, Declaration(keywordAt: index, in: file)))
                }
            }
        }
        return found
    }

    /// True if the line above the declaration ends a doc comment. Other comments between them are ignored.
    private static func isDocumented(at index: Int, in file: SourceFile) -> Bool {
        let first = Declaration.start(before: index, in: file)
        let above = file.lines[..<(file.tokens[first].line - 1)].reversed().lazy
            .map { $0.drop { $0 == " " } }
            .first { !$0.hasPrefix("//") || $0.hasPrefix("///") }
        return above.map { $0.hasPrefix("///") || $0.hasSuffix("*/") } ?? false
    }

    @Test("Every package and public declaration and every protocol requirement has a doc comment")
    func sources() {
        let explained = Set(Repository.sources.flatMap(Self.requirements(in:)).map { $0.1.name })
        Repository.sources.flatMap { Self.findings(in: $0, explained: explained) }.expectNone()
    }

    @Test(
        "Each undocumented declaration is found once",
        arguments: [
            ("package struct A {}", "struct A"), ("public func f() {}", "func f"), ("package let a = 1", "let a"),
            ("// plain\npackage enum A {}", "enum A"), ("package actor A {}", "actor A"),
            ("package final class A {}", "class A"), ("package class func f() {}", "func f"),
            ("package protocol A {}", "protocol A"), ("package init(a: Int) {}", "init"),
            ("package init() {}", "init"), ("package private(set) var a = 1", "var a"),
            ("public package(set) var a = 1", "var a"), ("/// Doc.\n\npackage var a = 1", "var a"),
            ("/// Doc.\n@A(b: 1)\npackage var a = 1\n@A package var b = 1", "var b"),
            ("package nonisolated static func f() {}", "func f"), ("package @MainActor func f() {}", "func f"),
            ("static package func + (a: Int) {}", "func +"), ("package func description() {}", "func description"),
            ("package typealias A = Int", "typealias A"), ("package subscript(a: Int) -> Int { 1 }", "subscript"),
            ("protocol A {\n    /// Doc.\n    var a: Int { get }\n    func f()\n}\nfunc g() {}", "func f"),
        ]
    )
    func found(sample: String, name: String) {
        let messages = Self.findings(in: SourceFile("Sources/till/A.swift", sample)).map(\.message)
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.hasPrefix("\(name) has") }, "\(messages)")
    }

    @Test(
        "Documented, inherited and nested declarations have no findings",
        arguments: [
            "/// Doc.\npackage struct A {}", "/** Doc. */\npackage struct A {}", "struct A { let a = 1 }",
            "/// Doc.\n@A(b: (1))\n@B\npackage var a = 1", "/// Doc.\n// plain\npackage var a = 1",
            "/// Doc.\n@A package static func f() {}", "package extension A {}", "package import A",
            "package override func f() {}", "package init(from decoder: any Decoder) throws {}",
            "package func encode(to encoder: any Encoder) throws {}", "package func hash(into hasher: inout Hasher) {}",
            "package static func == (a: Self, b: Self) -> Bool { true }", "package var description: String { \"\" }",
            "package static func < (a: Self, b: Self) -> Bool { true }", "let package = 1", ".package(url: a)",
            "/// Doc.\nstatic package func f() {}", "indirect\nenum A {}",
        ]
    )
    func left(sample: String) {
        Self.findings(in: SourceFile("Sources/till/A.swift", sample)).expectNone()
    }

    @Test("A member that implements a documented requirement needs no doc comment")
    func explained() {
        let asking = SourceFile("Sources/A/A.swift", "protocol A {\n    /// Doc.\n    func read() async -> Int\n}")
        let names = Set(Self.requirements(in: asking).map { $0.1.name })
        #expect(names == ["read"])
        let answering = SourceFile("Sources/B/B.swift", "package func read() {}\npackage func write() {}")
        #expect(Self.findings(in: answering, explained: names).map(\.line) == [2])
    }
}
