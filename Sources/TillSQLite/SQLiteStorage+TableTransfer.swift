import Foundation
import GRDB
import TillStorage

/// Reads and writes whole tables row by row, for a transfer from or to another engine.
extension SQLiteStorage {
    package func rows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow] {
        guard has(table.rawValue) else { return [] }
        let selection = selection(of: table)
        return try await pool.read { try Self.rows(of: table, selection, after: row, limit: limit, $0) }
    }

    package func examinedRows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow] {
        let selection = selection(of: table)
        return try await pool.read { try Self.anyRows(of: table, selection, after: row, limit: limit, $0) }
    }

    static func rows(of table: ShopTable, _ selection: String, after row: TableRow?, limit: Int, _ db: Database) throws
        -> [TableRow]
    {
        let rows = try anyRows(of: table, selection, after: row, limit: limit, db)
        for row in rows { if let damage = row.misfit(of: table) { throw damage } }
        return rows
    }

    private static func anyRows(
        of table: ShopTable,
        _ selection: String,
        after row: TableRow?,
        limit: Int,
        _ db: Database
    ) throws -> [TableRow] {
        let key = table.key.joined(separator: ", ")
        let places = Array(repeating: "?", count: table.key.count).joined(separator: ", ")
        let condition = row == nil ? "" : "WHERE (\(key)) > (\(places))"
        let position = row?.key(of: table) ?? []
        let columns = table.columns.indices
        return try db.rows(
            of: table.rawValue,
            "SELECT \(selection) FROM \(table.rawValue) \(condition) ORDER BY \(key) LIMIT ?",
            StatementArguments(position.map(\.value)) + [limit]
        ).map { row in TableRow(columns.map { row.cell($0) }) }
    }

    package func add(_ rows: [TableRow], to table: ShopTable) async throws {
        let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
        try await pool.write { db in
            let insert = try db.makeStatement(
                sql: "INSERT INTO \(table.rawValue) (\(table.columnList)) VALUES (\(places))"
            )
            for row in rows { try insert.execute(arguments: row.arguments) }
        }
    }
}

extension ShopTable {
    var columnList: String { columns.map(\.name).joined(separator: ", ") }
}

extension Cell {
    var value: (any DatabaseValueConvertible)? {
        switch self {
        case .integer(let number): number
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        case .null: nil
        }
    }
}

extension TableRow {
    var arguments: StatementArguments { StatementArguments(cells.map(\.value)) }
}
