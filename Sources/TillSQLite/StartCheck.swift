import Foundation
import GRDB

/// A damaged file is not served: what is sold on it could not be kept.
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

    /// - Throws: `StoreRefused.damaged` with what is wrong first.
    static func check(_ pool: DatabasePool, at path: String) throws {
        let lines = try pool.read { try String.fetchAll($0, sql: "PRAGMA quick_check(1)") }
        if let line = lines.first, line != "ok" { throw StoreRefused.damaged(path: path, finding: line) }
    }
}
