import GRDB
import GRDBSQLite
import Synchronization

/// Reads of a few rows by SQLite's own interface, on the thread of who asks, with statements that are kept.
///
/// A way to another thread and back, a transaction around one statement and a row that is looked at value by value
/// cost more than the read itself. With a write-ahead log no writer holds a reader up, and each statement sees one
/// state. What may take long goes by the pool, which has threads of its own. The pool itself is never waited for here:
/// its readers are given back on the threads that would wait.
final class HotReader: Sendable {
    private final class Place: Sendable {
        let connection: Mutex<HotConnection?>

        init(_ path: String) throws { connection = Mutex(try HotConnection(path)) }
    }

    private let places: [Place]
    /// As many as there are threads that ask, more or less; whoever finds none free waits for the first.
    private static let count = 4

    /// Opens connections that only read a file whose tables are in place.
    init(_ path: String) throws {
        places = try (0..<Self.count).map { _ in try Place(path) }
    }

    /// All rows of a statement, each as it is read.
    func rows<Value: Sendable>(
        _ sql: String,
        _ values: [HotValue],
        _ read: @Sendable (HotRow) throws -> Value
    ) throws -> [Value] {
        for place in places {
            let rows = try place.connection.withLockIfAvailable { try Self.open($0).rows(sql, values, read) }
            if let rows { return rows }
        }
        return try places[0].connection.withLock { try Self.open($0).rows(sql, values, read) }
    }

    /// The first row of a statement.
    func first<Value: Sendable>(
        _ sql: String,
        _ values: [HotValue],
        _ read: @Sendable (HotRow) throws -> Value
    ) throws -> Value? {
        try rows(sql, values, read).first
    }

    /// Lets somebody look at each connection while nobody uses it; for who counts what reads cost.
    func watch(_ body: @Sendable (OpaquePointer) -> Void) {
        for place in places { place.connection.withLock { $0?.watch(body) } }
    }

    /// Reads nothing any more.
    func close() {
        for place in places { place.connection.withLock { $0 = nil } }
    }

    private static func open(_ connection: HotConnection?) throws -> HotConnection {
        guard let connection else { throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "the store is closed") }
        return connection
    }
}

/// A value that a statement is given.
enum HotValue: Sendable {
    case integer(Int64)
    case text(String)
}

/// One connection, used by one thread at a time.
private final class HotConnection {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]
    /// Filters make many statements; past this many the kept ones are made anew.
    private static let mostStatements = 200

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

    func rows<Value>(_ sql: String, _ values: [HotValue], _ read: @Sendable (HotRow) throws -> Value) throws -> [Value]
    {
        let statement = try statement(sql)
        defer { sqlite3_reset(statement) }
        for (place, value) in values.enumerated() {
            switch value {
            case .integer(let number): sqlite3_bind_int64(statement, Int32(place + 1), number)
            case .text(let text): bind(text, to: statement, at: Int32(place + 1))
            }
        }
        var rows: [Value] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: rows.append(try read(HotRow(statement: statement)))
            case SQLITE_DONE: return rows
            default: throw failure(of: sql)
            }
        }
    }

    private func bind(_ text: String, to statement: OpaquePointer, at place: Int32) {
        // Copied, for it need not live as long as the statement.
        let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        sqlite3_bind_text(statement, place, text, Int32(text.utf8.count), copied)
    }

    private func statement(_ sql: String) throws -> OpaquePointer {
        if let kept = statements[sql] { return kept }
        if statements.count >= Self.mostStatements { forgetStatements() }
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

    private func failure(of sql: String) -> DatabaseError {
        DatabaseError(
            resultCode: ResultCode(rawValue: sqlite3_extended_errcode(handle)),
            message: String(cString: sqlite3_errmsg(handle)),
            sql: sql
        )
    }
}

/// The row at which a statement stands; its values by their places.
struct HotRow {
    fileprivate let statement: OpaquePointer

    subscript(_ place: Int) -> Int64 { sqlite3_column_int64(statement, Int32(place)) }
    subscript(_ place: Int) -> Int { Int(sqlite3_column_int64(statement, Int32(place))) }
    subscript(_ place: Int) -> Bool { sqlite3_column_int64(statement, Int32(place)) != 0 }

    subscript(_ place: Int) -> String {
        let bytes = sqlite3_column_text(statement, Int32(place))
        let count = Int(sqlite3_column_bytes(statement, Int32(place)))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    subscript(_ place: Int) -> Int64? { isNull(place) ? nil : self[place] as Int64 }
    subscript(_ place: Int) -> Int? { isNull(place) ? nil : self[place] as Int }
    subscript(_ place: Int) -> String? { isNull(place) ? nil : self[place] as String }

    private func isNull(_ place: Int) -> Bool { sqlite3_column_type(statement, Int32(place)) == SQLITE_NULL }
}
