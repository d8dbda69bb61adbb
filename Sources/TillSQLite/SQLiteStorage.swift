import Foundation
import GRDB
import TillCore
import TillStorage

/// The embedded engine: one SQLite file in WAL mode, one writer, a few readers.
///
/// What is acknowledged is on disk: `synchronous` is FULL and is verified when the store opens.
package final class SQLiteStorage: Storage {
    let pool: DatabasePool
    let hot: HotReader
    /// The columns of each table in the file; nil when the tables are of this version.
    let olderColumns: [String: Set<String>]?

    /// Opens the store, creates it if there is none, and migrates its tables to this version.
    ///
    /// - Parameters:
    ///   - path: the database file; its folder must exist.
    ///   - isDurable: false for a temporary store that need not wait for the disk.
    /// - Throws: `StoreRefused` for a file that is a newer Till's, another program's, damaged, not writable or not
    ///   synced as required; otherwise GRDB's errors.
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

    /// Opens the store for reading only, while a server may be using it.
    ///
    /// - Parameter allowsOlder: whether the tables may be of an older version. In such a store only whole tables and
    ///   the names of snapshots can be read; missing columns read as null.
    /// - Throws: `StoreRefused` when the tables are not of this version, or there are none of Till's.
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

    /// Which version of Till made the tables of a file. Only reads the file.
    ///
    /// - Throws: `StoreRefused` when there are no tables of Till's.
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
        // The pool sets NORMAL on its writer after preparing it, so FULL is set last and verified.
        let synchronous = try pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = \(isDurable ? "FULL" : "OFF")")
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

    package func close() async throws {
        hot.close()
        // An orderly close leaves one file with everything in it; while another process reads the file, it cannot.
        if !pool.configuration.readonly {
            _ = try? await pool.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        }
        try pool.close()
    }
}
