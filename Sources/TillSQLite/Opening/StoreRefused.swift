import Foundation
import GRDB
import TillStorage

/// The reason why a database file cannot be opened or written.
package enum StoreRefused: StorageError, CustomStringConvertible {
    case newer(path: String)
    case older(path: String)
    case empty(path: String)
    case notTills(path: String, table: String)
    case notAFile(path: String)
    case notWritable(path: String)
    case diskFull(path: String)
    case doesNotSync(path: String, level: Int)
    case exists(path: String)
    case damaged(path: String, finding: String)

    package var isTransient: Bool { isDiskFull }

    package var isDiskFull: Bool {
        if case .diskFull = self { true } else { false }
    }

    package var isUnreached: Bool {
        switch self {
        case .empty, .notTills, .notAFile, .notWritable: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .newer(let path):
            "\(path) was created by a newer version of Till. Run that version, or use another data directory."
        case .older(let path):
            "\(path) was created by an older version of Till, so nothing in it was checked. Use that version to check "
                + "it, or start this version on it, or on a copy if it is a backup, which migrates it."
        case .empty(let path):
            "\(path) holds no shop: it is empty. Specify the data directory of an existing server."
        case .notTills(let path, let table):
            "\(path) contains tables that are not Till's (\(table)). Use another data directory; nothing was changed."
        case .notAFile(let path):
            "\(path) is not a regular file. Use another data directory, or restore the file from a backup."
        case .notWritable(let path):
            "\(path) cannot be written. Its folder, and every file there whose name begins with till.sqlite, must be "
                + "writable for the user that runs Till: check owner and mode (chown, chmod u+rw)."
        case .diskFull(let path):
            "The disk with \(path) is full. Free some space, or use a data directory on another disk."
        case .doesNotSync(let path, let level):
            "\(path) reports synchronous = \(level) instead of 2 (FULL), so acknowledged writes could be lost."
        case .exists(let path):
            "\(path) already exists. Specify a path that does not exist."
        case .damaged(let path, let finding):
            "\(path) is damaged (\(finding.replacing("\n", with: " "))). Nothing is served from it. "
                + "Start on a backup (till serve --data COPY); till doctor says more."
        }
    }

    /// Runs `body`, and replaces SQLite's errors about the file, the disk or the folder with errors that explain what
    /// to do.
    ///
    /// - Throws: `notAFile` for a pipe or another special file, for which SQLite would wait forever.
    static func explaining<Opened>(_ path: String, _ body: () throws -> Opened) throws -> Opened {
        var attributes = stat()
        if stat(path, &attributes) == 0, attributes.st_mode & S_IFMT != S_IFREG { throw notAFile(path: path) }
        do {
            return try body()
        } catch let error as DatabaseError {
            switch error.resultCode {
            case .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_PERM:
                guard FileManager.default.fileExists(atPath: path) else { throw error }
                throw StoreRefused.notWritable(path: path)
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                throw StoreRefused.damaged(path: path, finding: error.message ?? "\(error.extendedResultCode)")
            default: throw error.isDiskFull ? StoreRefused.diskFull(path: path) : error
            }
        }
    }
}

/// A full disk is a temporary error, because it ends when the operator frees space, and so is a lock that another
/// program holds. No other SQLite error is temporary.
extension DatabaseError: StorageError {
    package var isTransient: Bool { isDiskFull || resultCode == .SQLITE_BUSY }
    /// Whether the disk is full. SQLite reports every failure to enlarge the shared-memory file with one code, so that
    /// code counts as well.
    package var isDiskFull: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }
    package var isUnreached: Bool { false }
}
