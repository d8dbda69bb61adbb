import Foundation
import GRDB

/// A damaged file is not served, because purchases on it could be lost. Nor is another program's.
extension SQLiteStorage {
    /// The check reads the whole file. It is worth its time for a small file, and after a crash: that leaves the
    /// write-ahead log behind.
    ///
    /// - Parameter path: of the database, before it is opened.
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

    /// Examines a file without changing it, which opening it for writing would do.
    ///
    /// - Throws: `StoreRefused.notTills` for a file that has tables but none of Till's.
    static func requireTills(_ path: String) throws {
        guard size(of: path) > 0 else { return }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        // A file that cannot even be read gives a better error when it is opened.
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return }
        let table = try? queue.read { try foreignTable($0) }
        try? queue.close()
        if let table { throw StoreRefused.notTills(path: path, table: table) }
    }

    /// The first table of a file that Till has never used.
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

    /// - Throws: `StoreRefused.damaged` with the first finding.
    static func check(_ pool: DatabasePool, at path: String) throws {
        let lines = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
        if let line = lines.first, line != "ok" { throw StoreRefused.damaged(path: path, finding: line) }
    }
}
