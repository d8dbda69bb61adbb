import Foundation
import GRDB

/// Checks the file before the server uses it. The server refuses a damaged file, because purchases could be lost, and a
/// file of another program.
extension SQLiteStorage {
    /// Whether to check the whole file at start. This is done for a small file, and after a crash, which the remaining
    /// write-ahead log shows.
    ///
    /// - Parameter path: The path of the database, which must not be open yet.
    static func needsCheck(_ path: String) -> Bool {
        let log = size(of: path + "-wal")
        let file = size(of: path)
        return log > 0 || (1..<smallFile).contains(file)
    }

    private static let smallFile: Int64 = 256 << 20

    private static func size(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// Checks a file without changing it. Opening it for writing would change it.
    ///
    /// - Throws: `StoreRefused.notTills` if the file has tables, but none of Till.
    static func requireTills(_ path: String) throws {
        guard size(of: path) > 0 else { return }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        // If the file cannot be read at all, opening it later gives a better error.
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return }
        let table = try? queue.read { try foreignTable($0) }
        try? queue.close()
        if let table { throw StoreRefused.notTills(path: path, table: table) }
    }

    /// The first table of a file that no version of Till has used; nil if there is none.
    static func foreignTable(_ db: Database) throws -> String? {
        let migrator = Migrations.all
        let applied = try migrator.appliedIdentifiers(db)
        if let first = migrator.migrations.first, applied.contains(first) { return nil }
        return try String.fetchOne(
            db,
            sql: """
                SELECT name FROM sqlite_master
                WHERE type IN ('table', 'view') AND name NOT GLOB 'sqlite_*' AND name NOT GLOB 'grdb_*'
                ORDER BY name
                """
        )
    }

    /// - Throws: `StoreRefused.damaged` with the first problem that was found.
    static func check(_ pool: DatabasePool, at path: String) throws {
        let lines = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
        if let line = lines.first, line != "ok" { throw StoreRefused.damaged(path: path, finding: line) }
    }
}
