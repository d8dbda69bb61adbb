import Foundation
import GRDBSQLite

/// Uses SQLite's C interface with Till's settings, to measure the limits of SQLite without Till.
final class SQLiteFile {
    private let handle: OpaquePointer

    static var libraryVersion: String { String(cString: sqlite3_libversion()) }

    init(_ path: String, isReadOnly: Bool = false) throws {
        var handle: OpaquePointer?
        let flags = isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        guard sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK, let handle else {
            throw BenchRefused("\(path) does not open")
        }
        self.handle = handle
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw BenchRefused("SQLite: \(String(cString: sqlite3_errmsg(handle))), of \(sql.prefix(200))")
        }
    }

    func statement(_ sql: String) throws -> Statement {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else {
            throw BenchRefused("SQLite: \(String(cString: sqlite3_errmsg(handle))), of \(sql.prefix(200))")
        }
        return Statement(statement)
    }

    /// The integers in the first column of a query's result.
    func integers(_ sql: String) throws -> [Int64] {
        let statement = try statement(sql)
        var values: [Int64] = []
        try statement.run { values.append(sqlite3_column_int64($0, 0)) }
        return values
    }

    /// The texts in the first column of a query's result.
    func texts(_ sql: String) throws -> [String] {
        let statement = try statement(sql)
        var values: [String] = []
        try statement.run { row in
            if let text = sqlite3_column_text(row, 0) { values.append(String(cString: text)) }
        }
        return values
    }

    /// A prepared statement.
    final class Statement {
        private let handle: OpaquePointer

        fileprivate init(_ handle: OpaquePointer) { self.handle = handle }

        deinit { sqlite3_finalize(handle) }

        /// Runs the statement with these values, reads all columns of all rows, and returns the number of rows.
        @discardableResult
        func run(_ values: [Int64] = []) throws -> Int {
            let columns = sqlite3_column_count(handle)
            return try run(values) { row in
                for column in 0..<columns {
                    switch sqlite3_column_type(row, column) {
                    case SQLITE_INTEGER: _ = sqlite3_column_int64(row, column)
                    case SQLITE_NULL: break
                    default: _ = sqlite3_column_text(row, column)
                    }
                }
            }
        }

        /// Runs the statement with these values, calls a closure for each row, and returns the number of rows.
        @discardableResult
        fileprivate func run(_ values: [Int64] = [], _ each: (OpaquePointer) -> Void) throws -> Int {
            sqlite3_reset(handle)
            for (index, value) in values.enumerated() { sqlite3_bind_int64(handle, Int32(index + 1), value) }
            var rows = 0
            while true {
                switch sqlite3_step(handle) {
                case SQLITE_ROW:
                    rows += 1
                    each(handle)
                case SQLITE_DONE: return rows
                default: throw BenchRefused("SQLite did not finish a statement")
                }
            }
        }
    }
}
