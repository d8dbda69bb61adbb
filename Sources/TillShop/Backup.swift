import Foundation
import TillStorage

/// A copy of a shop in a folder of its own: start Till with `--data` on it, and it goes on from there.
package enum Backup {
    /// Copies database, certificates and keys while serving goes on.
    ///
    /// - Parameter target: an absolute path that does not exist yet.
    /// - Throws: `BackupRefused`.
    package static func write(_ directory: DataDirectory, storage: any Storage, to target: String) async throws {
        guard target.hasPrefix("/") else { throw BackupRefused.notAbsolute(target) }
        let files = FileManager.default
        guard !files.fileExists(atPath: target) else { throw BackupRefused.exists(target) }
        let copy = DataDirectory(target)
        do {
            try DataDirectory.makeFolder(target)
            try await storage.backup(to: copy.database)
            try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.database)
            for folder in ["ca", "keys", "tls"] where files.fileExists(atPath: "\(directory.path)/\(folder)") {
                try files.copyItem(atPath: "\(directory.path)/\(folder)", toPath: "\(target)/\(folder)")
            }
        } catch {
            throw BackupRefused.failed(target, cause: String(describing: error))
        }
    }
}

/// Why no backup was written.
package enum BackupRefused: Error, CustomStringConvertible {
    case notAbsolute(String)
    case exists(String)
    case failed(String, cause: String)

    package var description: String {
        switch self {
        case .notAbsolute(let path): "\(path) is not an absolute path; the server writes on its own machine."
        case .exists(let path): "\(path) exists; name a folder that does not."
        case .failed(let path, let cause): "The backup to \(path) failed: \(cause)"
        }
    }
}
