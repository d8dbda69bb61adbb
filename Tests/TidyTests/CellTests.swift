import Testing

/// A SQLite column can hold a value of any type. GRDB's subscripts crash on an unexpected type, and GRDB converts an
/// unexpected value to the integer 0. The SQLite engine therefore reads cells with `RowCells` and `HotRow`, which throw
/// an error.
@Suite("The SQLite engine checks the type of every cell that it reads")
struct CellTests {
    private static let rows: Set = ["row", "rows", "present"]
    private static let fetches: Set = ["fetchOne", "fetchAll", "fetchSet", "fetchCursor"]

    static func findings(in file: SourceFile) -> [Finding] {
        guard file.module == "TillSQLite", !file.path.hasSuffix("/SQLiteRowCells.swift") else { return [] }
        return file.tokens.indices.compactMap { index in
            let isArgument = file.text(index).hasPrefix("$") || file.text(index - 1) == "$"
            if isArgument || rows.contains(file.text(index)), file.text(index + 1) == "[" {
                // `row[column, of: table]` accesses a row that the engine has written itself.
                guard !file.has([",", "of"], at: index + 3) else { return nil }
                return file.finding(at: index, "\(file.text(index))[…] traps on damaged data: read cells by RowCells")
            }
            if fetches.contains(file.text(index)), file.text(index - 1) == ".",
                ["Row", "Int64", "Data", "Bool"].contains(file.text(index - 2))
            {
                return file.finding(at: index, "\(file.text(index - 2)).\(file.text(index)): fetch RowCells")
            }
            return nil
        }
    }

    @Test("Only `RowCells` and `HotRow` read values from a row directly")
    func sources() {
        Repository.sources.flatMap(Self.findings(in:)).expectNone()
    }

    @Test(
        "A direct access to a cell is found",
        arguments: [
            "let a: Int64 = row[0]", "f { $0[1] as String }", "let a = present[0]", "Row.fetchAll(db, sql: a).map(f)",
            "try Int64.fetchOne(db, sql: a)", "let a = row[index]",
        ]
    )
    func found(sample: String) {
        let findings = Self.findings(in: SourceFile("Sources/TillSQLite/A.swift", sample))
        #expect(findings.count == 1, "\(findings.report)")
    }

    @Test(
        "Other subscripts and other modules have no findings",
        arguments: [
            ("TillSQLite", "let a = try row.integer(0)"), ("TillSQLite", "let a = row[column, of: table]"),
            ("TillSQLite", "try Int.fetchOne(db, sql: a)"), ("TillPostgres", "let a = row[0]"),
            ("TillSQLite", "let a = counts[0]"),
        ]
    )
    func left(module: String, sample: String) {
        Self.findings(in: SourceFile("Sources/\(module)/A.swift", sample)).expectNone()
    }
}
