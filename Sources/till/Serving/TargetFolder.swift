import Foundation
import TillShop

/// The folder of a command's target, as it was before the command.
struct TargetFolder {
    private let path: String
    /// Nil when there was no folder.
    private let before: Set<String>?

    init(_ directory: DataDirectory) {
        path = directory.path
        before = Self.content(of: path)
    }

    /// Whether anything of a shop came or went; the lock, and what SQLite lays beside a database, are nothing.
    var isTouched: Bool {
        let nothing: Set = ["till.lock", "till.sqlite-wal", "till.sqlite-shm"]
        return (Self.content(of: path) ?? []).subtracting(nothing) != (before ?? []).subtracting(nothing)
    }

    /// Removes what was made for a command that then had nothing to write. Only under the lock, if there is one.
    func clear() {
        // What lies beside a database belongs to it, and to nobody else.
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
