import GRDB
import GRDBSQLite
import Synchronization
import TillStorage

/// Reads a few rows with SQLite's C interface on the caller's thread, with cached statements.
///
/// For such a short read, a thread switch, a transaction around a single statement and GRDB's rows would cost more than
/// the read itself. With a write-ahead log no writer blocks a reader, and each statement sees a consistent state. Long
/// reads use the pool, which has its own threads. This code never waits for the pool, because the pool gets its readers
/// back on the threads that would wait.
final class HotReader: Sendable {
    private final class Slot: Sendable {
        let connection: Mutex<HotConnection?>

        init(_ path: String) throws { connection = Mutex(try HotConnection(path)) }
    }

    private let places: [Slot]
    /// The number of connections, which is close to the number of calling threads. If all are in use, a caller waits
    /// for the first.
    private static let count = 4

    /// Opens read-only connections to a file that already has its tables.
    init(_ path: String) throws {
        places = try (0..<Self.count).map { _ in try Slot(path) }
    }

    /// The rows of a statement, each converted as it is read.
    func rows<Value: Sendable>(
        _ statement: CommonStatement,
        _ cells: [Cell],
        _ read: @Sendable (any StoredCells) throws -> Value
    ) throws -> [Value] {
        try rows(of: statement.sql.table, statement.sql.sqlite, cells, read)
    }

    /// The rows of a statement, each converted as it is read.
    ///
    /// - Parameter table: The name of the table, for error messages.
    func rows<Value: Sendable>(
        of table: String,
        _ sql: String,
        _ cells: [Cell],
        _ read: @Sendable (any StoredCells) throws -> Value
    ) throws -> [Value] {
        for place in places {
            let rows = try place.connection.withLockIfAvailable { try Self.open($0).rows(table, sql, cells, read) }
            if let rows { return rows }
        }
        return try places[0].connection.withLock { try Self.open($0).rows(table, sql, cells, read) }
    }

    /// Calls `body` with each connection while it is idle, to measure the cost of reads.
    func watch(_ body: @Sendable (OpaquePointer) -> Void) {
        for place in places { place.connection.withLock { $0?.watch(body) } }
    }

    /// Closes the connections. Later reads fail.
    func close() {
        for place in places { place.connection.withLock { $0 = nil } }
    }

    private static func open(_ connection: HotConnection?) throws -> HotConnection {
        guard let connection else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the store is closed") }
        return connection
    }
}

/// A connection that one thread at a time uses.
private final class HotConnection {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    /// The maximum size of the statement cache. Filters cause many different statements; if there are more, the cache
    /// is emptied.
    private static let maxStatements = 200

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw DatabaseError(resultCode: ResultCode(rawValue: code), message: "\(path) does not open")
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 10_000)
        sqlite3_exec(handle, "PRAGMA cache_size = -8000", nil, nil, nil)
    }

    deinit {
        forgetStatements()
        sqlite3_close_v2(handle)
    }

    func watch(_ body: @Sendable (OpaquePointer) -> Void) { body(handle) }

    func rows<Value>(
        _ table: String,
        _ sql: String,
        _ cells: [Cell],
        _ read: @Sendable (any StoredCells) throws -> Value
    ) throws -> [Value] {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        for (place, cell) in cells.enumerated() { cell.bind(to: statement, at: Int32(place + 1)) }
        let row = HotRow(statement, of: table)
        var rows: [Value] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(try read(row))
            case SQLITE_DONE: return rows
            default: throw failure(of: sql)
            }
        }
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let kept = statements[sql] { return kept }
        if statements.count >= Self.maxStatements { forgetStatements() }
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        guard sqlite3_prepare_v3(handle, sql, -1, flags, &statement, nil) == SQLITE_OK, let statement else {
            throw failure(of: sql)
        }
        statements[sql] = statement
        return statement
    }

    private func forgetStatements() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
    }

    private func failure(of sql: String) -> DatabaseError { DatabaseError(lastOf: handle, sql) }
}

/// The current row of a statement, whose cells are read by column index. SQLite would convert a value of another type,
/// for example a text to 0; this type throws an error instead.
final class HotRow: StoredCells {
    private let statement: OpaquePointer
    let table: String

    fileprivate init(_ statement: OpaquePointer, of table: String) {
        (self.statement, self.table) = (statement, table)
    }

    func column(_ place: Int) -> String {
        sqlite3_column_name(statement, Int32(place)).map { String(cString: $0) } ?? ""
    }
    func isNull(_ place: Int) -> Bool { kind(place) == SQLITE_NULL }

    func integer(_ place: Int) throws(DamagedRow) -> Int64 {
        guard kind(place) == SQLITE_INTEGER else { throw damaged(place, .integer) }
        return sqlite3_column_int64(statement, Int32(place))
    }

    func text(_ place: Int) throws(DamagedRow) -> String {
        guard kind(place) == SQLITE3_TEXT else { throw damaged(place, .text) }
        let bytes = sqlite3_column_text(statement, Int32(place))
        let count = Int(sqlite3_column_bytes(statement, Int32(place)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8] {
        guard kind(place) == SQLITE_BLOB else { throw damaged(place, .bytes) }
        let bytes = sqlite3_column_blob(statement, Int32(place))
        let count = Int(sqlite3_column_bytes(statement, Int32(place)))
        return Array(UnsafeRawBufferPointer(start: bytes, count: count))
    }

    private func kind(_ place: Int) -> Int32 { sqlite3_column_type(statement, Int32(place)) }

    private func damaged(_ place: Int, _ wanted: ShopTable.Column.Kind) -> DamagedRow {
        let found =
            switch kind(place) {
            case SQLITE_INTEGER: ShopTable.Column.Kind.integer.words
            case SQLITE_FLOAT: "a fraction"
            case SQLITE3_TEXT: ShopTable.Column.Kind.text.words
            case SQLITE_BLOB: ShopTable.Column.Kind.bytes.words
            default: "nothing"
            }
        return damaged(place, wanted.problem(holding: found))
    }
}
