import Foundation
import GRDB

/// A damaged file is not served: what is sold on it could not be kept. Nor is somebody else's.
extension SQLiteStorage {
    /// The check reads the whole file. It is worth its time where the file is small, and where the last process did not
    /// end in order: that leaves its write-ahead log behind.
    ///
    /// - Parameter path: of the database, before it is opened.
    static func isToBeChecked(_ path: String) -> Bool {
        let log = size(of: path + "-wal")
        let file = size(of: path)
        return log > 0 || (1..<smallFile).contains(file)
    }

    private static let smallFile: Int64 = 256 << 20

    private static func size(of path: String) -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }

    /// Looks at a file without changing it, as opening it to be written would.
    ///
    /// - Throws: `StoreRefused.notTills` for a file that has tables, and none of Till's.
    static func requireTills(_ path: String) throws {
        guard size(of: path) > 0 else { return }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(10)
        // Of what cannot even be read, more is said when it is opened.
        guard let queue = try? DatabaseQueue(path: path, configuration: configuration) else { return }
        let table = try? queue.read { try strangeTable($0) }
        try? queue.close()
        if let table { throw StoreRefused.notTills(path: path, table: table) }
    }

    /// The first table of a file on which no Till was ever at work.
    static func strangeTable(_ db: Database) throws -> String? {
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

    /// - Throws: `StoreRefused.damaged` with what is wrong first.
    static func check(_ pool: DatabasePool, at path: String) throws {
        let lines = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
        if let line = lines.first, line != "ok" { throw StoreRefused.damaged(path: path, finding: line) }
    }
}
