import Foundation
import GRDB
import TillStorage

/// Reads and writes whole tables row by row, for a transfer from or to another engine.
extension SQLiteStorage {
    package func rows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow] {
        try await pool.read { try self.rows(of: table, after: row, limit: limit, $0) }
    }

    func rows(of table: ShopTable, after row: TableRow?, limit: Int, _ db: Database) throws -> [TableRow] {
        guard has(table.rawValue) else { return [] }
        let key = table.key.joined(separator: ", ")
        let condition = row == nil ? "" : "WHERE (\(key)) > (\(table.key.places))"
        let position = row?.key(of: table) ?? []
        let columns = table.columns.indices
        return try db.rows(
            of: table.rawValue,
            "SELECT \(selection(of: table)) FROM \(table.rawValue) \(condition) ORDER BY \(key) LIMIT ?",
            StatementArguments(position.map(\.value)) + [limit]
        ).map { row in TableRow(columns.map { row.cell($0) }) }
    }

    package func add(_ rows: [TableRow], to table: ShopTable) async throws {
        try await pool.write { db in
            let insert = try db.makeStatement(
                sql: "INSERT INTO \(table.rawValue) (\(table.columnList)) VALUES (\(table.columns.places))"
            )
            for row in rows { try insert.execute(arguments: row.arguments) }
        }
    }
}

extension ShopTable {
    var columnList: String { columns.map(\.name).joined(separator: ", ") }
}

extension Collection {
    /// A list of as many placeholders as there are elements.
    var places: String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

extension Cell {
    fileprivate var value: (any DatabaseValueConvertible)? {
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
