import Foundation
import TillCore
import TillStorage

/// Writes backups. A backup is a folder with a copy of the database, the certificates and the keys. To use a backup,
/// start Till with this folder as `--data`, or restore it with `till restore`.
///
/// The database in a backup is always a file of the embedded engine. `backup.json` is written last, so a backup without
/// this file is incomplete.
package enum Backup {
    /// The folders of a data directory that a backup copies unchanged.
    static let folders = ["ca", "keys", "tls"]

    /// Copies the database, certificates and keys while the server runs, and verifies the copy.
    ///
    /// - Parameters:
    ///   - storage: the database of the server.
    ///   - makeStore: opens a file of the embedded engine, and creates it if it is missing.
    ///   - version: the version of this Till.
    ///   - now: real time.
    ///   - target: an absolute path that does not exist yet.
    /// - Returns: the manifest of the backup.
    /// - Throws: `BackupRefused`; `ShopBusy` if the server is stopping.
    package static func write(
        _ storage: any Storage,
        _ directory: DataDirectory,
        _ locks: ShopLocks,
        makingStore makeStore: @Sendable (String) throws -> any Storage,
        version: String,
        at now: Timestamp,
        to target: String
    ) async throws -> BackupManifest {
        guard target.hasPrefix("/") else { throw BackupRefused.notAbsolute(target) }
        guard !"\(DataDirectory(target).realPath)/".hasPrefix("\(directory.realPath)/") else {
            throw BackupRefused.inside(target, directory.path)
        }
        guard !FileManager.default.fileExists(atPath: target) else { throw BackupRefused.exists(target) }
        let copy = DataDirectory(target)
        do {
            try DataDirectory.makeFolder(target)
            let read = try await copyStore(storage, locks, to: copy, makeStore)
            try copyFolders(of: directory, to: copy)
            let store = try makeStore(copy.database)
            let parts = try await store.checksums()
            let highWater = try await store.identifierHighWater()
            try await store.close()
            if let read, read != parts { throw BackupRefused.damaged(target, "the copy differs from the original") }
            let manifest = BackupManifest(
                format: BackupManifest.format,
                version: version,
                madeAt: now,
                identifiersFrom: highWater,
                parts: parts,
                files: try BackupManifest.files(in: copy)
            )
            try DataDirectory.write(try manifest.text(), to: copy.backupManifest)
            return manifest
        } catch {
            try? FileManager.default.removeItem(atPath: target)
            if let refused = error as? BackupRefused { throw refused }
            if let busy = error as? ShopBusy { throw busy }
            if error.isFullDisk { throw BackupRefused.diskFull(target) }
            throw BackupRefused.failed(target, cause: error.logText)
        }
    }

    /// - Returns: the checksums of the source; nil if the engine itself made the copy, because then no rows were read.
    private static func copyStore(
        _ storage: any Storage,
        _ locks: ShopLocks,
        to copy: DataDirectory,
        _ makeStore: @Sendable (String) throws -> any Storage
    ) async throws -> [TableChecksum]? {
        if try await storage.backup(to: copy.database) {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.database)
            return nil
        }
        try copy.prepareDatabase()
        let store = try makeStore(copy.database)
        let sums = try await storage.copy(to: store) { _ in try locks.checkStopping() }
        try await store.close()
        return sums
    }

    /// Copies the certificates and keys. Only the owner of the copies can read them.
    static func copyFolders(of directory: DataDirectory, to copy: DataDirectory) throws {
        let files = FileManager.default
        for folder in folders where files.fileExists(atPath: "\(directory.path)/\(folder)") {
            let target = "\(copy.path)/\(folder)"
            try files.copyItem(atPath: "\(directory.path)/\(folder)", toPath: target)
            try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: target)
            for name in try files.subpathsOfDirectory(atPath: target) {
                var isFolder: ObjCBool = false
                let path = "\(target)/\(name)"
                guard files.fileExists(atPath: path, isDirectory: &isFolder) else { continue }
                try files.setAttributes([.posixPermissions: isFolder.boolValue ? 0o700 : 0o600], ofItemAtPath: path)
            }
        }
    }
}

/// Why a backup was not written, or cannot be restored.
package enum BackupRefused: Error, CustomStringConvertible {
    case notAbsolute(String)
    case exists(String)
    case inside(String, String)
    case failed(String, cause: String)
    case diskFull(String)
    case noFolder(String)
    case unreadable(String)
    case noBackup(String)
    case otherFormat(String)
    case damaged(String, String)
    case occupied(String, by: String)

    package var description: String {
        switch self {
        case .notAbsolute(let path): "\(path) is not an absolute path; the server writes on its own machine."
        case .exists(let path): "\(path) already exists. Give a path that does not exist yet."
        case .inside(let path, let directory):
            "\(path) is inside the data directory \(directory), where the backup would be lost together with the data. "
                + "Give a folder outside of it."
        case .failed(let path, let cause): "The backup to \(path) failed and was removed: \(cause)"
        case .diskFull(let path):
            "There is not enough disk space for a backup to \(path); the partial backup was removed. Free space, or "
                + "give a folder on another disk."
        case .noFolder(let path): "There is no folder \(path). Give the folder of a backup with --from."
        case .unreadable(let path):
            "\(path) cannot be read. The user who runs till restore must be able to read it: check owner and mode."
        case .noBackup(let path):
            "\(path) is not a complete backup: it has no backup.json. To use the backup of an older version, start "
                + "the server on it: till serve --data \(path)"
        case .otherFormat(let path): "\(path) was written by another version of Till. Restore it with that version."
        case .damaged(let path, let what): "\(path) is damaged: \(what). Use another backup; nothing was changed."
        case .occupied(let path, let what):
            "\(path) already has \(what). Give an empty folder with --data, or replace the content of this one with "
                + "--replace."
        }
    }
}
