import Testing

/// The formatter of the Swift toolchain determines spaces and line breaks.
@Suite("The sources follow .swift-format")
struct FormatTests {
    static let lint = ["swift", "format", "lint", "--strict"]

    static func lint(_ sample: String) throws -> CommandRun {
        try CommandRun(lint + ["--configuration", ".swift-format", "-"], input: sample)
    }

    @Test("swift format lint --strict passes: if not, run make format")
    func sources() throws {
        let places = ["Sources", "Tests", "Package.swift", "Benchmarks/Package.swift", "Benchmarks/Sources"]
        let run = try CommandRun(Self.lint + ["--recursive"] + places)
        #expect(run.status == 0, "run make format, and mend by hand what it leaves:\n\(run.output)")
    }

    @Test(
        "The formatter uses the configuration of the repository",
        arguments: [
            ("let a=1\n", "Spacing"), ("let a = b!\n", "NeverForceUnwrap"), ("let a = try! f()\n", "NeverUseForceTry"),
            ("import B\nimport A\n", "OrderedImports"),
            ("func f() {\n  g()\n}\n", "Indentation"), ("let a = [\n    1,\n    2\n]\n", "TrailingComma"),
            ("if a {\n    b()\n} else {\n    return\n}\n", "UseEarlyExits"),
        ]
    )
    func found(sample: String, rule: String) throws {
        let run = try Self.lint(sample)
        #expect(run.status != 0)
        #expect(run.output.contains(rule), "\(run.output)")
    }

    @Test("A formatted sample has no finding")
    func left() throws {
        let run = try Self.lint("import A\nimport B\n\n/// Doc.\npublic let a = [\n    1,\n    2,\n]\n")
        #expect(run.status == 0, "\(run.output)")
    }
}
