import Testing

/// Finds constructs that turn an error into a crash, or that turn off the compiler's check for data races.
@Suite("Sources have no forced unwrapping and no unchecked concurrency")
struct CrashTests {
    static func findings(in file: SourceFile) -> [Finding] {
        file.tokens.indices.compactMap { index in
            advice(at: index, in: file).map { file.finding(at: index, $0) }
        }
    }

    private static func advice(at index: Int, in file: SourceFile) -> String? {
        switch file.text(index) {
        case "!" where isPostfix(file, index):
            switch file.text(index - 1) {
            case "try": "try!: let the error go up with try, or catch it"
            case "as": "as!: use as? and say what happens otherwise"
            default: "force unwrap: use guard let, ?? or a throwing call, and say what happens otherwise"
            }
        case "unchecked" where file.text(index - 1) == "@":
            "@unchecked: use a value type, an actor or a Mutex"
        case "nonisolated" where file.has(["(", "unsafe", ")"], at: index + 1):
            "nonisolated(unsafe): use a let, a Mutex or an actor"
        default:
            nil
        }
    }

    /// True if the `!` follows the forced expression, as in `a!`, `f()!`, `a[0]!` and `Int!`, but not in `!a` and `a !=
    /// b`.
    private static func isPostfix(_ file: SourceFile, _ index: Int) -> Bool {
        guard index > 0, !file.tokens[index].isAfterSpace else { return false }
        let isUnequal = file.text(index + 1) == "=" && !file.tokens[index + 1].isAfterSpace
        let before = file.tokens[index - 1]
        return !isUnequal && (before.isWord || [")", "]", "}", ">", "?", "!", "\""].contains(before.text))
    }

    @Test("No source contains try!, as!, a force unwrap, @unchecked or nonisolated(unsafe)")
    func sources() {
        (Repository.sources + Repository.benchmarks).flatMap(Self.findings(in:)).expectNone()
    }

    @Test(
        "Each forced construct is found once",
        arguments: [
            "let a = b!", "b!.c()", "f(b!)", "let a = f()!", "let a = b[0]!", "b! = c", "let a = b!+1", "var a: Int!",
            "var a: [Int]!", "var a: Set<Int>!", "let a = \"\\(b!)\"", "let a = \"b\"!", "let a = { b }()!", "a ?? b!",
            "let a = try! f()", "let a = b as! Int", "final class A: @unchecked Sendable {}",
            "nonisolated(unsafe) var a = 1", "if a!, !b {}", "let a = `default`!",
        ]
    )
    func found(sample: String) {
        let findings = Self.findings(in: SourceFile("Sources/till/A.swift", sample))
        #expect(findings.count == 1, "\(findings.report)")
    }

    @Test(
        "Negation, inequality, comments and strings have no findings",
        arguments: [
            "let a = !b", "if a != b {}", "if a!=b {}", "if a !== b {}", "f(!a, [!b], {!c})", "#if !os(Linux)\n#endif",
            "let a = b && !c", "// b! and try! f()", "let a = \"b! try! as!\"", "let a = #\"b!\"#",
            "let a = \"\"\"\n    b!\n    \"\"\"", "let a = try? f()", "let a = b as? Int", "nonisolated func f() {}",
            "return !a", "#expect(!a)",
        ]
    )
    func left(sample: String) {
        Self.findings(in: SourceFile("Sources/till/A.swift", sample)).expectNone()
    }

    @Test("The message names the line and the alternative")
    func message() {
        let findings = Self.findings(in: SourceFile("Sources/till/A.swift", "let a = 1\nlet b = try! f()"))
        let expected = "Sources/till/A.swift:2: try!: let the error go up with try, or catch it"
        #expect(findings.map(\.description) == [expected])
    }
}
