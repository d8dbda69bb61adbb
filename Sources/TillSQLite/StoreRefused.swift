import Foundation
import GRDB
import TillStorage

/// Why a database file is not opened or written.
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
            "\(path) was made by a newer version of Till. Run that version, or start with another data directory."
        case .older(let path):
            "\(path) is of an older version of Till. Start the server on it once to migrate it."
        case .empty(let path):
            "\(path) holds no shop: it is empty. Name the data directory of one."
        case .notTills(let path, let table):
            "\(path) contains tables that are not Till's (\(table)). Name another data directory; nothing was changed."
        case .notAFile(let path):
            "\(path) is not a regular file. Name another data directory, or put the file back from a backup."
        case .notWritable(let path):
            "\(path) cannot be written. Its folder, and every file there whose name begins with till.sqlite, must be "
                + "writable for the user that runs Till: check owner and mode (chown, chmod u+rw)."
        case .diskFull(let path):
            "There is no room on the disk for \(path). Make room, or name a data directory on another disk."
        case .doesNotSync(let path, let level):
            "\(path) reads back synchronous = \(level) instead of 2 (FULL), so nothing it acknowledges would be safe."
        case .exists(let path):
            "\(path) exists already. Name a path that does not."
        case .damaged(let path, let finding):
            "\(path) is damaged (\(finding.replacing("\n", with: " "))). Nothing is served from it. "
                + "Start on a backup (till serve --data COPY); till doctor says more."
        }
    }

    /// Runs `body`; turns SQLite's errors about the disk or the folder into ones that say what to do.
    ///
    /// - Throws: `notAFile` for a pipe and the like, which SQLite would wait for without end.
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
            default: throw error.isDiskFull ? StoreRefused.diskFull(path: path) : error
            }
        }
    }
}

/// A full disk is temporary: it ends when the operator frees space. No other SQLite error is.
extension DatabaseError: StorageError {
    package var isTransient: Bool { isDiskFull }
    /// Growing the shared-memory file reports every failure with the same code, so that code counts, too.
    package var isDiskFull: Bool { resultCode == .SQLITE_FULL || extendedResultCode == .SQLITE_IOERR_SHMSIZE }
    package var isUnreached: Bool { false }
}
