import Foundation
import Testing

/// docs/internals/architecture.md names the file and the function of each behaviour. These tests fail when a row of the
/// page names a file that was moved or a function that was renamed.
@Suite("The architecture page names files and functions that exist")
struct ArchitectureTests {
    static let page = "docs/internals/architecture.md"
    static let fewestBehaviours = 40

    /// The header of a table of behaviours. The page may have several such tables.
    static let behaviourHeader = ["Behaviour", "File", "Function"]
    /// The header of a table that follows a request through the code, hop by hop; its rows are checked like behaviours.
    /// A row without a number describes a synchronous step.
    static let flowHeader = ["Hop", "File", "Function", "What it does"]
    /// The header line of the table of modules.
    static let moduleHeader = ["Module", "Purpose", "Till modules that it may import"]

    /// A row of a table, with its line number.
    struct Row {
        let line: Int
        let cells: [String]
    }

    /// The rows below every header with these cells.
    static func rows(under header: [String], in text: String) -> [Row] {
        var rows: [Row] = []
        var isInside = false
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard line.hasPrefix("|") else {
                isInside = false
                continue
            }
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells == header {
                isInside = true
            } else if isInside, !cells.allSatisfy({ $0.allSatisfy { $0 == "-" || $0 == ":" } }) {
                rows.append(Row(line: index + 1, cells: cells))
            }
        }
        return rows
    }

    /// The texts between backticks in a cell.
    static func codeSpans(in cell: String) -> [String] {
        let parts = cell.split(separator: "`", omittingEmptySubsequences: false)
        return parts.indices.filter { $0 % 2 == 1 }.map { String(parts[$0]) }
    }

    // MARK: Behaviours

    private static let declaring: Set = [
        "func", "struct", "class", "enum", "actor", "protocol", "typealias", "var", "let",
    ]

    /// Whether a file declares a name. For `Type.member`, the file must also declare or extend the type.
    static func declares(_ name: String, _ file: SourceFile) -> Bool {
        let parts = name.prefix { $0 != "(" }.split(separator: ".").map(String.init)
        func has(_ word: String, after keywords: Set<String>) -> Bool {
            file.tokens.indices.contains { file.text($0) == word && keywords.contains(file.text($0 - 1)) }
        }
        guard let member = parts.last, has(member, after: declaring) else { return false }
        return parts.dropLast().allSatisfy { has($0, after: declaring.union(["extension"])) }
    }

    /// The rows whose file or function does not exist.
    static func behaviourFindings(in text: String, sources: [SourceFile]) -> [Finding] {
        let files = Dictionary(uniqueKeysWithValues: sources.map { ($0.path, $0) })
        let tables = [behaviourHeader, flowHeader].flatMap { header in
            rows(under: header, in: text).map { (row: $0, width: header.count) }
        }
        return tables.flatMap { row, width -> [Finding] in
            func finding(_ message: String) -> [Finding] { [Finding(path: page, line: row.line, message: message)] }
            guard row.cells.count == width else {
                return finding("the row has \(row.cells.count) cells, and \(width) are expected")
            }
            let (paths, names) = (codeSpans(in: row.cells[1]), codeSpans(in: row.cells[2]))
            guard paths.count == 1, !names.isEmpty else {
                return finding("\(row.cells[0]): name one file and at least one function or type, in backticks")
            }
            guard let file = files[paths[0]] else {
                return finding("there is no Swift file \(paths[0]): correct the path")
            }
            return names.filter { !declares($0, file) }.flatMap {
                finding("\(paths[0]) does not declare \($0): name the function or type that does it now")
            }
        }
    }

    /// The rows of the flows whose numbers do not follow each other. In each table the numbers begin with 1.
    static func hopFindings(in text: String) -> [Finding] {
        var last = 0
        var line = 0
        return rows(under: flowHeader, in: text).compactMap { row in
            if row.line != line + 1 { last = 0 }
            line = row.line
            guard let cell = row.cells.first, !cell.isEmpty else { return nil }
            last += 1
            guard Int(cell) != last else { return nil }
            return Finding(path: page, line: row.line, message: "this is hop \(last): correct the number")
        }
    }

    @Test("The hops of each flow are numbered one after another")
    func hops() throws {
        let text = try #require(Repository.text(of: Self.page))
        Self.hopFindings(in: text).expectNone()
        let table = "| Hop | File | Function | What it does |\n|--|--|--|--|\n"
        #expect(
            Self.hopFindings(in: table + "| 1 | a | | |\n|   | b | | |\n| 2 | c | | |\n\n" + table + "| 1 | | | |")
                .isEmpty
        )
        #expect(Self.hopFindings(in: table + "| 1 | | | |\n| 3 | | | |").map(\.line) == [4])
    }

    @Test("Each behaviour's file declares the function or type that the page names")
    func behaviours() throws {
        let text = try #require(Repository.text(of: Self.page))
        Self.behaviourFindings(in: text, sources: Repository.sources).expectNone()
        #expect(Self.rows(under: Self.behaviourHeader, in: text).count >= Self.fewestBehaviours)
        #expect(!Self.rows(under: Self.flowHeader, in: text).isEmpty)
    }

    // MARK: Modules

    /// The modules that the page lacks or lists twice, and those whose imports differ from `ImportTests`.
    static func moduleFindings(
        in text: String,
        allowances: [String: ImportTests.Allowance],
        folders: Set<String>
    ) -> [Finding] {
        var left = folders
        var findings = rows(under: moduleHeader, in: text).compactMap { row -> Finding? in
            guard row.cells.count == moduleHeader.count, let module = codeSpans(in: row.cells[0]).first else {
                return Finding(path: page, line: row.line, message: "name the module in backticks, then two more cells")
            }
            guard left.remove(module) != nil else {
                return Finding(
                    path: page,
                    line: row.line,
                    message: "\(module) has no folder, or two rows"
                )
            }
            guard let allowance = allowances[module] else { return nil }
            let named = Set(codeSpans(in: row.cells[2]))
            let allowed: Set<String> =
                switch allowance {
                case .only(let names): names.intersection(folders)
                case .all(let names): names
                }
            let expected = allowed.sorted().joined(separator: ", ")
            return named == allowed
                ? nil
                : Finding(path: page, line: row.line, message: "\(module): ImportTests has \(expected): write the same")
        }
        findings += left.sorted().map { Finding(path: page, message: "the table of modules lacks \($0): add a row") }
        let headings = Set(text.split(separator: "\n").filter { $0.hasPrefix("### ") }.map { $0.dropFirst(4) })
        findings += allowances.keys.sorted().filter { !headings.contains($0[...]) }.map {
            Finding(path: page, message: "\($0) has no section: describe its folders under the heading ### \($0)")
        }
        return findings
    }

    @Test("The table of modules contains every module with its allowed imports")
    func modules() throws {
        let text = try #require(Repository.text(of: Self.page))
        let names = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: "Sources").path)
        let folders = Set(names.filter { !$0.hasPrefix(".") } + Repository.supportModules)
        Self.moduleFindings(in: text, allowances: ImportTests.table, folders: folders).expectNone()
    }

    // MARK: Paths

    private static let folders = ["Sources/", "Tests/", "Benchmarks/", "docs/", "scripts/"]

    /// The paths between backticks at which no file or folder exists.
    static func pathFindings(in text: String, of page: String, exists: (String) -> Bool) -> [Finding] {
        text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            codeSpans(in: String(line)).filter { path in
                folders.contains(where: path.hasPrefix) && !exists(path)
            }.map { Finding(path: page, line: index + 1, message: "there is no \($0): correct the path") }
        }
    }

    @Test("Every path on the developer pages exists")
    func paths() throws {
        let folder = "docs/internals"
        let names = try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path)
        let pages = names.filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" } + ["CONTRIBUTING.md"]
        #expect(pages.contains(Self.page) && pages.count > 10)
        for page in pages {
            let text = try #require(Repository.text(of: page))
            Self.pathFindings(in: text, of: page) {
                FileManager.default.fileExists(atPath: Repository.root.appending(path: $0).path)
            }.expectNone()
        }
    }

    // MARK: Self-tests

    private static let sample = SourceFile(
        "Sources/A/Shop.swift",
        "extension Shop {\n    package func buy(_ a: Int) {}\n}\nactor Queue {\n    var rest: Int { 0 }\n}\n"
    )

    private static func table(_ row: String) -> String {
        "# A page\n\n| Behaviour | File | Function |\n|---|---|:--|\n\(row)\n\nText.\n"
    }

    @Test(
        "A row with an existing file and function has no finding",
        arguments: ["`buy`", "`Shop.buy`", "`Shop.buy(_:)`", "`Queue`", "`Queue.rest`", "`Shop.buy`, `Queue`"]
    )
    func right(names: String) {
        let text = Self.table("| Purchase | `Sources/A/Shop.swift` | \(names) |")
        Self.behaviourFindings(in: text, sources: [Self.sample]).expectNone()
        #expect(Self.rows(under: Self.behaviourHeader, in: text).map(\.line) == [5])
    }

    @Test(
        "A row with a missing file or function is found, with its line",
        arguments: [
            "| Purchase | `Sources/A/Gone.swift` | `buy` |", "| Purchase | `Sources/A/Shop.swift` | `sell` |",
            "| Purchase | `Sources/A/Shop.swift` | `Ledger.buy` |", "| Purchase | `Sources/A/Shop.swift` | buy |",
            "| Purchase | `Sources/A/Shop.swift` | `buy`, `sell` |", "| Purchase | Sources/A/Shop.swift | `buy` |",
            "| Purchase | `Sources/A/Shop.swift` |", "| Purchase | `Sources/A/Shop.swift` | `Shop` |",
        ]
    )
    func wrong(row: String) {
        let hop = Self.table(row + " A step |").replacing(
            "| Behaviour | File | Function |",
            with: "| Hop | File | Function | What it does |"
        )
        for text in [Self.table(row), hop] {
            let findings = Self.behaviourFindings(in: text, sources: [Self.sample])
            #expect(findings.map(\.line) == [5], "\(findings.report)")
        }
    }

    @Test("A missing path is found, and other code between backticks is ignored")
    func wrongPath() {
        let text = "See `Sources/A/Shop.swift`, `shop.buy`\nand `Tests/Gone.swift`, `docs/a.md`.\n"
        let findings = Self.pathFindings(in: text, of: "a.md") { $0 == "Sources/A/Shop.swift" || $0 == "docs/a.md" }
        #expect(findings.map(\.line) == [2], "\(findings.report)")
    }

    @Test("A missing module, a missing section and wrong imports are found")
    func wrongModules() {
        func findings(_ rows: String, _ headings: String) -> [String] {
            let header = "| \(Self.moduleHeader.joined(separator: " | ")) |\n|---|---|---|"
            let text = "\(header)\n\(rows)\n\n\(headings)\n"
            let allowances: [String: ImportTests.Allowance] = ["A": .only([]), "B": .only(["A", "NIO"])]
            return Self.moduleFindings(in: text, allowances: allowances, folders: ["A", "B", "C"]).map(\.message)
        }
        let right = "| `A` | rules | nothing |\n| `B` | engine | `A` |\n| `C` | C code | nothing |"
        #expect(findings(right, "### A\n\n### B") == [])
        #expect(findings(right, "### A").count == 1)
        #expect(findings(right.replacing("`A` |\n", with: "nothing |\n"), "### A\n### B").count == 1)
        #expect(findings(right.replacing("`C`", with: "`D`"), "### A\n### B").count == 2)
    }
}
