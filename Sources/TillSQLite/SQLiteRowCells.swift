import Foundation
import GRDB
import GRDBSQLite
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
            try execute(step.statement.sql.sqlite, step.arguments)
            if let failure = step.failure, changesCount == 0 { throw failure }
        }
    }

    /// Executes a statement whose rows are not needed. It is prepared by GRDB, but not executed: GRDB would first make
    /// several values of each parameter.
    private func execute(_ sql: String, _ cells: [Cell]) throws {
        let statement = try cachedStatement(sql: sql).sqliteStatement
        defer { sqlite3_reset(statement) }
        for (place, cell) in cells.enumerated() { cell.bind(to: statement, at: Int32(place + 1)) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: continue
            case SQLITE_DONE: return
            default: throw DatabaseError(lastOf: sqliteConnection, sql)
            }
        }
    }
}

extension DatabaseError {
    /// The last error of a connection.
    init(lastOf connection: OpaquePointer?, _ sql: String) {
        self.init(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(connection)),
            message: String(cString: sqlite3_errmsg(connection)),
            sql: sql
        )
    }
}

extension Cell {
    /// Makes the cell a parameter of a statement; the first one is at place 1.
    func bind(to statement: OpaquePointer, at place: Int32) {
        // SQLite copies the value, because the value may be freed before the statement.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch self {
        case .integer(let number): sqlite3_bind_int64(statement, place, number)
        case .text(let text): sqlite3_bind_text(statement, place, text, Int32(text.utf8.count), copied)
        // SQLite may take the address of an empty array for null.
        case .bytes(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, place, 0)
        case .bytes(let bytes): sqlite3_bind_blob(statement, place, bytes, Int32(bytes.count), copied)
        case .null: sqlite3_bind_null(statement, place)
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
