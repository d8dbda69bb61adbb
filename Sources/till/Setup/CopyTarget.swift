import Foundation
import TillJSON
import TillShop

/// The target folder of a migration or a restore, compared with its content before the command.
struct TargetFolder {
    private let path: String
    /// The file names before the command; nil if the folder did not exist.
    private let before: Set<String>?

    init(_ directory: DataDirectory) {
        path = directory.path
        before = Self.content(of: path)
    }

    /// Whether data files have appeared or disappeared. The lock file and SQLite's auxiliary files do not count.
    var isTouched: Bool {
        let nothing: Set = ["till.lock", "till.sqlite-wal", "till.sqlite-shm"]
        return (Self.content(of: path) ?? []).subtracting(nothing) != (before ?? []).subtracting(nothing)
    }

    /// Removes the files that the command created before it failed without writing data. If the folder is locked, the
    /// caller must hold the lock.
    func clear() {
        // If the folder had a database, the auxiliary files belong to that database.
        let hadDatabase = before?.contains("till.sqlite") == true
        let store = hadDatabase ? [] : ["till.sqlite", "till.sqlite-wal", "till.sqlite-shm"]
        for name in store + ["till.lock"] where before?.contains(name) != true {
            unlink("\(path)/\(name)")
        }
        if before == nil { rmdir(path) }
    }

    private static func content(of path: String) -> Set<String>? {
        (try? FileManager.default.contentsOfDirectory(atPath: path)).map { Set($0) }
    }
}

/// The tables that a migration or a restore copied.
struct CopiedTables {
    let tables: [(name: String, rows: Int, sha256: String)]

    var json: JSONTree {
        .array(
            tables.map {
                .members(["table": .string($0.name), "rows": .count($0.rows), "sha256": .string($0.sha256)])
            }
        )
    }

    /// A line for each table.
    ///
    /// - Parameter result: what the comparison of the rows found.
    func lines(_ result: String) -> String {
        let width = tables.map(\.name.count).max() ?? 0
        return tables.map { table in
            table.name.padding(toLength: width, withPad: " ", startingAt: 0)
                + "  \(table.rows) rows, \(result), SHA-256 \(table.sha256.prefix(16))…"
        }.joined(separator: "\n")
    }
}
