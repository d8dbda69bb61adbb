import Foundation
import TillShop

/// The target folder of a command, as it was before the command.
struct TargetFolder {
    private let path: String
    /// Nil when there was no folder.
    private let before: Set<String>?

    init(_ directory: DataDirectory) {
        path = directory.path
        before = Self.content(of: path)
    }

    /// Whether data files appeared or disappeared; the lock and SQLite's auxiliary files do not count.
    var isTouched: Bool {
        let nothing: Set = ["till.lock", "till.sqlite-wal", "till.sqlite-shm"]
        return (Self.content(of: path) ?? []).subtracting(nothing) != (before ?? []).subtracting(nothing)
    }

    /// Removes the files created for a command that then wrote nothing. Only under the lock, if there is one.
    func clear() {
        // Auxiliary files next to an existing database belong to that database.
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
