import Foundation
import Testing

/// Checks names and pages against the list of non-standard words, Tests/Fixtures/words/standard-words.txt.
@Suite("Names and pages use standard words")
struct WordListTests {
    static let rows = (Repository.text(of: ListedWord.path) ?? "").split(separator: "\n").filter { !$0.hasPrefix("#") }
    static let words = rows.compactMap { ListedWord(row: $0) }

    /// Whether texts are looked for in a file. A changelog is left out, because it names what was renamed.
    private static func isText(_ path: String) -> Bool {
        let isPage = [".mustache", ".js", ".md"].contains { path.hasSuffix($0) } && path != "CHANGELOG.md"
        return isPage || path.hasPrefix("Sources/") && path.hasSuffix(".swift")
    }

    /// The findings, one for each pair of a name and a word. Names in the exceptions are left out.
    static func findings(in names: [FoundName], words: [ListedWord] = words, without exempt: Set<String>) -> [Finding] {
        var seen: Set<String> = []
        return names.flatMap { name -> [Finding] in
            guard !exempt.contains(name.text), seen.insert("\(name.kind) \(name.text)").inserted else { return [] }
            return words.filter { $0.isIn(name) }.map { word in
                let message = "\(name.text) contains \"\(word.word)\": write \(word.replacement)"
                return Finding(path: name.path, line: name.line, message: message)
            }
        }
    }

    /// All names in the repository, except those of recorded files, which never change.
    private static func names(_ paths: [String]) -> [FoundName] {
        let swift = ["Tests", "Benchmarks/Sources"].flatMap(Repository.swiftPaths(under:)).compactMap { path in
            Repository.text(of: path).map { SourceFile(path, $0) }
        }
        let others = paths.filter { !$0.hasPrefix("Tests/Fixtures/") }
        return (Repository.sources + swift).flatMap(FoundName.names(in:))
            + others.flatMap(FoundName.names(inPath:))
            + others.filter { $0.hasSuffix(".py") || $0.hasPrefix("scripts/") }.flatMap { path in
                FoundName.names(inPython: Repository.text(of: path) ?? "", path: path)
            }
            + others.filter { $0.hasSuffix(".css") }.flatMap { path in
                FoundName.names(inStyles: Repository.text(of: path) ?? "", path: path)
            }
    }

    @Test("Each row of the list is complete, and a word without a scope has a reason")
    func list() {
        #expect(Self.words.count == Self.rows.count, "a row has not four cells, or an unknown scope")
        #expect(Self.words.count > 100)
        #expect(Set(Self.words.map { "\($0.word) \($0.scope)" }).count == Self.words.count, "a word is listed twice")
        let unexplained = Self.words.filter { $0.scope == .nowhere && $0.reason.isEmpty }
        #expect(unexplained.map(\.word).isEmpty)
    }

    @Test("No name contains a listed word, and every exception is needed", .enabled(if: Repository.isGitClone))
    func names() throws {
        let paths = try Repository.trackedPaths()
        #expect(paths.contains(ListedWord.path))
        let names = Self.names(paths)
        Self.findings(in: names, without: Set(WordExceptions.names.keys)).expectNone()
        let exceptions = names.filter { WordExceptions.names[$0.text] != nil }
        let needed = exceptions.filter { name in Self.words.contains { $0.isIn(name) } }.map(\.text)
        #expect(Set(WordExceptions.names.keys).subtracting(needed).isEmpty, "exceptions that are no longer needed")
    }

    @Test("No page and no source contains a listed text", .enabled(if: Repository.isGitClone))
    func texts() throws {
        let texts = Self.words.filter { $0.scope == .text }
        let findings = try Repository.trackedPaths().filter(Self.isText).flatMap { path in
            let data = (try? Data(contentsOf: Repository.root.appending(path: path))) ?? Data()
            return texts.filter { data.range(of: Data($0.word.utf8)) != nil }.map {
                Finding(path: path, message: "\"\($0.word)\": write \($0.replacement)")
            }
        }
        findings.expectNone()
    }

    @Test("A name is split into its words")
    func split() {
        #expect(ListedWord.parts(of: "HTTPStage") == ["http", "stage"])
        #expect(ListedWord.parts(of: "openNodeEar2") == ["open", "node", "ear"])
        #expect(ListedWord.parts(of: "tl-mark_x Y.z") == ["tl", "mark", "x", "y", "z"])
        #expect(ListedWord.parts(of: "_42é").isEmpty)
    }

    @Test(
        "Each kind of name that contains a listed word is found",
        arguments: [
            ("wish | operation | names |", "let noWish = 1", 1), ("wish | operation | names |", "func wishful() {}", 0),
            ("node ear | NodeSubscription | names |", "var openNodeEar: Int", 1),
            ("node ear | NodeSubscription | names |", "var earNode: Int", 0),
            ("wish | operation | names |", "@Test(\"A wish for a month\") func f() {}", 1),
            ("wish | operation | names |", "@Suite(\n    \"Wish\"\n)\nstruct S {}", 1),
            ("wish | operation | names |", "let a = \"wish\" // wish", 0),
            ("stage | Backend | types |", "struct HTTPStage {}", 1), ("stage | Backend | types |", "let stage = 1", 0),
            ("lane | queue | type |", "enum Lane {}", 1), ("lane | queue | type |", "enum LaneWidth {}", 0),
            ("hear | subscribe | func |", "func hear() {}", 1), ("hear | subscribe | func |", "let hear = 1", 0),
            ("most | max | start |", "let mostItems = 1", 1), ("most | max | start |", "let most = 1, atMost = 2", 0),
            ("row | transaction | - | tables", "struct Row {}", 0),
        ]
    )
    func found(row: String, code: String, count: Int) throws {
        let word = try #require(ListedWord(row: row[...]))
        let names = FoundName.names(in: SourceFile("A.swift", code))
        #expect(Self.findings(in: names, words: [word], without: []).count == count)
        #expect(Self.findings(in: names, words: [word], without: Set(names.map(\.text))).isEmpty)
    }

    @Test("Listed words in the names of other files are found")
    func foundElsewhere() throws {
        let first = try #require(ListedWord(row: "wish | operation | names |"))
        let second = try #require(ListedWord(row: "acts | actions | types |"))
        let names =
            FoundName.names(inPath: "Sources/Wish/big-wish.mustache")
            + FoundName.names(inPath: "Sources/A/Shop+Acts.swift")
            + FoundName.names(inPython: "async def wish_once(x):\n    class BigWish:\nwish = 1", path: "a.py")
            + FoundName.names(inStyles: ".tl-wish:hover, .x { opacity: .5 }", path: "a.css")
        let findings = Self.findings(in: names, words: [first, second], without: [])
        #expect(
            findings.map(\.message).map { $0.prefix { $0 != " " } } == [
                "Wish", "big-wish", "Acts", "wish_once", "BigWish", "tl-wish",
            ]
        )
        #expect(ListedWord(row: "wish | operation | everywhere |") == nil)
        #expect(ListedWord(row: "wish | operation") == nil)
    }
}
