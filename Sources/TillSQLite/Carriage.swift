import Foundation
import GRDB
import TillStorage

/// Whole tables, row by row, on their way to another engine or from it.
extension SQLiteStorage {
    package func rows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow] {
        guard has(table.rawValue) else { return [] }
        let selection = selection(of: table)
        return try await pool.read { try Self.rows(of: table, selection, after: row, limit: limit, $0) }
    }

    static func rows(of table: ShopTable, _ selection: String, after row: TableRow?, limit: Int, _ db: Database) throws
        -> [TableRow]
    {
        let key = table.key.joined(separator: ", ")
        let places = Array(repeating: "?", count: table.key.count).joined(separator: ", ")
        let condition = row == nil ? "" : "WHERE (\(key)) > (\(places))"
        let position = row?.key(of: table) ?? []
        let columns = table.columns
        return try Row.fetchAll(
            db,
            sql: "SELECT \(selection) FROM \(table.rawValue) \(condition) ORDER BY \(key) LIMIT ?",
            arguments: StatementArguments(position.map(\.value)) + [limit]
        ).map { row in
            TableRow(columns.enumerated().map { Cell(row, at: $0.offset, as: $0.element.kind) })
        }
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
    init(_ row: Row, at index: Int, as kind: ShopTable.Column.Kind) {
        guard !row.hasNull(atIndex: index) else {
            self = .null
            return
        }
        switch kind {
        case .integer: self = .integer(row[index])
        case .text: self = .text(row[index])
        case .bytes: self = .bytes(Array(row[index] as Data))
        }
    }

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
