import TillStorage

/// Reads and writes whole tables row by row, for a transfer from or to another engine.
extension PostgresStorage {
    package func rows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow] {
        try await pool.perform { try $0.rows(of: table, after: row, limit: limit) }
    }

    package func add(_ rows: [TableRow], to table: ShopTable) async throws {
        try await write(rows.map { Step(TableStatement(operation: .fill, table: table), $0.arguments) })
    }
}

extension Session {
    func rows(of table: ShopTable, after row: TableRow?, limit: Int) throws -> [TableRow] {
        let statement = TableStatement(operation: row == nil ? .first : .next, table: table)
        let position = Arguments(row?.cells(table.place, of: table) ?? [])
        return try run(any: statement, position + Arguments(limit)).map { row in
            TableRow(table.columns.enumerated().map { Cell(row, $0.offset, $0.element.kind) })
        }
    }

    func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) throws -> [PlacedRow] {
        let page = TableStatement(operation: .page, table: table)
        return try run(any: page, Arguments(snapshot, place ?? 0, limit)).map { row in
            let cells = table.columns.enumerated().map { Cell(row, $0.offset + 1, $0.element.kind) }
            return PlacedRow(place: try row.int(0), row: TableRow(cells))
        }
    }
}

extension ShopTable {
    /// The columns that identify a row: the partition, if there is one, and then the rest of the primary key.
    var place: [String] {
        let isPartitioned = columns.contains { $0.name == "partition" }
        return isPartitioned && key.first != "partition" ? ["partition"] + key : key
    }
}

extension Cell {
    init(_ row: Row, _ column: Int, _ kind: ShopTable.Column.Kind) {
        self =
            switch kind {
            case .integer: row.maybeInt(column).map { .integer($0) } ?? .null
            case .text: row.maybeText(column).map { .text($0) } ?? .null
            case .bytes: row.maybeBytes(column).map { .bytes($0) } ?? .null
            }
    }
}

extension TableRow {
    var arguments: Arguments { Arguments(cells) }
}
