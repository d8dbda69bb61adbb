import Foundation
import GRDB
import TillCore
import TillStorage

/// The embedded engine: one SQLite file in WAL mode, with one writer and a few readers.
///
/// An acknowledged write is on the disk: `synchronous` is FULL, which is verified when the database is opened.
package final class SQLiteStorage: SQLStorage {
    let pool: DatabasePool
    let hot: HotReader
    package let decodedAccounts = DecodedAccounts()
    /// The columns of each table in the file, by table; nil if the tables have this version.
    let olderColumns: [String: Set<String>]?

    /// Opens the database, or creates it if there is none, and migrates its tables to this version.
    ///
    /// - Parameters:
    ///   - path: The database file, whose folder must exist.
    ///   - isDurable: False for a temporary database that need not wait for the disk.
    /// - Throws: `StoreRefused` if the file belongs to a newer version of Till or another program, is damaged or not
    ///   writable, or cannot be synced as required. Otherwise GRDB's errors.
    package init(path: String, isDurable: Bool = true) throws {
        try Self.requireTills(path)
        olderColumns = nil
        (pool, hot) = try StoreRefused.explaining(path) {
            let pool = try Self.pool(path, isDurable: isDurable)
            let migrator = Migrations.all
            if try pool.read({ try migrator.hasBeenSuperseded($0) }) { throw StoreRefused.newer(path: path) }
            try migrator.migrate(pool)
            return (pool, try HotReader(path))
        }
    }

    /// Opens the database for reading only. A server may use it at the same time.
    ///
    /// - Parameter allowsOlder: Whether the tables may have an older version. In such a database only whole tables and
    ///   the names of snapshots can be read, and missing columns are read as null.
    /// - Throws: `StoreRefused` if the tables do not have this version, or if the file has no tables of Till.
    package init(examining path: String, allowsOlder: Bool = false) throws {
        var configuration = Self.configuration
        configuration.readonly = true
        (pool, hot, olderColumns) = try StoreRefused.explaining(path) {
            let pool = try DatabasePool(path: path, configuration: configuration)
            let older = try pool.read { db in
                switch try Self.version(db, at: path) {
                case .current: return [String: Set<String>]?.none
                case .newer: throw StoreRefused.newer(path: path)
                case .older:
                    guard allowsOlder else { throw StoreRefused.older(path: path) }
                    return try Self.columns(db)
                }
            }
            return (pool, try HotReader(path), older)
        }
    }

    /// The version of Till that created the tables of a file. The file is only read.
    ///
    /// - Throws: `StoreRefused` if the file has no tables of Till.
    package static func version(of path: String) throws -> StoreVersion {
        var configuration = Self.configuration
        configuration.readonly = true
        return try StoreRefused.explaining(path) {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? queue.close() }
            return try queue.read { try version($0, at: path) }
        }
    }

    private static func version(_ db: Database, at path: String) throws -> StoreVersion {
        let migrator = Migrations.all
        if let table = try foreignTable(db) { throw StoreRefused.notTills(path: path, table: table) }
        if try migrator.appliedIdentifiers(db).isEmpty { throw StoreRefused.empty(path: path) }
        if try migrator.hasBeenSuperseded(db) { return .newer }
        return try migrator.hasCompletedMigrations(db) ? .current : .older
    }

    private static func columns(_ db: Database) throws -> [String: Set<String>] {
        let rows = try db.rows(
            of: "sqlite_master",
            "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table'"
        )
        var columns: [String: Set<String>] = [:]
        for row in rows { columns[try row.text(0), default: []].insert(try row.text(1)) }
        return columns
    }

    private static func pool(_ path: String, isDurable: Bool) throws -> DatabasePool {
        var configuration = configuration
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA page_size = 8192")
            try db.execute(sql: "PRAGMA cache_size = -16000")
        }
        let needsCheck = needsCheck(path)
        let pool = try DatabasePool(path: path, configuration: configuration)
        if needsCheck { try check(pool, at: path) }
        // The pool sets NORMAL on its writer after it prepares the connection, so FULL is set last and verified.
        let synchronous = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "OFF")")
            // On macOS, only a full fsync waits until the disk itself has written. Elsewhere, this has no effect.
            try db.execute(sql: "PRAGMA fullfsync = \(isDurable ? "ON" : "OFF")")
            return try Int.fetchOne(db, sql: "PRAGMA synchronous")
        }
        guard synchronous == 2 || !isDurable else {
            throw StoreRefused.doesNotSync(path: path, level: synchronous ?? -1)
        }
        return pool
    }

    private static var configuration: GRDB.Configuration {
        var configuration = GRDB.Configuration()
        configuration.foreignKeysEnabled = true
        configuration.maximumReaderCount = 4
        configuration.busyMode = .timeout(10)
        configuration.label = "till"
        return configuration
    }

    package func ping() async throws {
        _ = try await pool.read { try Int.fetchOne($0, sql: "SELECT 1") }
    }

    /// Reads the sizes of the files, without a query.
    package func size() async throws -> StoreSize {
        func bytes(_ path: String) throws -> Int64 {
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            return (attributes[.size] as? NSNumber)?.int64Value ?? 0
        }
        // SQLite removes the log when the last connection is closed.
        return StoreSize(bytes: try bytes(pool.path), walBytes: (try? bytes(pool.path + "-wal")) ?? 0)
    }

    package func close() async throws {
        hot.close()
        // A normal close moves all data into one file. This is not possible while another process reads the file.
        if !pool.configuration.readonly {
            _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
        try pool.close()
    }
}
