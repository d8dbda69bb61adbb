import Foundation
import GRDB
import TillStorage

/// A row that GRDB fetched, whose cells are read by column index. GRDB's own subscripts trap if a value has another
/// type, so this engine uses them nowhere else (`Tests/TidyTests/CellTests.swift`).
final class RowCells: StoredCells {
    private let row: Row
    let table: String

    init(_ row: Row, of table: String) {
        self.row = row
        self.table = table
    }

    func column(_ place: Int) -> String { Array(row.columnNames)[place] }
    func isNull(_ place: Int) -> Bool { row.hasNull(atIndex: place) }

    func integer(_ place: Int) throws(DamagedRow) -> Int64 {
        guard case .int64(let number) = value(place) else { throw damaged(place, .integer) }
        return number
    }

    func text(_ place: Int) throws(DamagedRow) -> String {
        guard case .string(let text) = value(place) else { throw damaged(place, .text) }
        return text
    }

    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8] {
        guard case .blob(let data) = value(place) else { throw damaged(place, .bytes) }
        return Array(data)
    }

    /// The value of a cell, whatever its type is.
    func cell(_ place: Int) -> Cell {
        switch value(place) {
        case .null: .null
        case .int64(let number): .integer(number)
        case .string(let text): .text(text)
        case .blob(let data): .bytes(Array(data))
        // Till never writes reals. A real becomes a text, because its order then matches SQLite's order, and paging
        // continues after it.
        case .double(let number): .text(String(number))
        }
    }

    private func value(_ place: Int) -> DatabaseValue.Storage { (row[place] as DatabaseValue).storage }

    private func damaged(_ place: Int, _ wanted: ShopTable.Column.Kind) -> DamagedRow {
        let found =
            switch value(place) {
            case .null: "nothing"
            case .int64: ShopTable.Column.Kind.integer.words
            case .double: "a fraction"
            case .string: ShopTable.Column.Kind.text.words
            case .blob: ShopTable.Column.Kind.bytes.words
            }
        return damaged(place, wanted.problem(holding: found))
    }
}

extension Database {
    /// All rows of a statement.
    func rows(of table: String, _ sql: String, _ arguments: StatementArguments = []) throws -> [RowCells] {
        try Row.fetchAll(self, sql: sql, arguments: arguments).map { RowCells($0, of: table) }
    }

    /// All rows of a statement, which is prepared once and then cached.
    func keptRows(of table: String, _ sql: String, _ cells: [Cell]) throws -> [RowCells] {
        try Row.fetchAll(try cachedStatement(sql: sql), arguments: cells.arguments).map { RowCells($0, of: table) }
    }

    /// All rows of a common statement.
    func rows(_ statement: CommonStatement, _ cells: [Cell] = []) throws -> [RowCells] {
        try keptRows(of: statement.sql.table, statement.sql.sqlite, cells)
    }

    /// Executes statements.
    ///
    /// - Throws: The failure of a step that had to write a row and wrote none.
    func run(_ steps: [StatementStep]) throws {
        for step in steps {
            try cachedStatement(sql: step.statement.sql.sqlite).execute(arguments: step.arguments.arguments)
            if let failure = step.failure, changesCount == 0 { throw failure }
        }
    }
}

extension [Cell] {
    /// The cells as the parameters of a statement.
    ///
    /// GRDB's initializer for values of one type reads them with a key path that it makes for each statement, which
    /// takes longer than all of the rest.
    var arguments: StatementArguments {
        StatementArguments(map { $0.databaseValue as (any DatabaseValueConvertible)? })
    }
}

extension Cell {
    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        case .null: .null
        }
    }
}
