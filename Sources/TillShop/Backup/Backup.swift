import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// A copy of a shop in a folder of its own: start Till with `--data` on it, or put it back with `till restore`.
///
/// Whatever engine the shop has, the copy's is the embedded one. `backup.json` comes last: a folder without it is not
/// whole.
package enum Backup {
    /// The folders of a data directory that are copied as they are.
    static let folders = ["ca", "keys", "tls"]

    /// Copies database, certificates and keys while serving goes on, and reads the copy to see that it is whole.
    ///
    /// - Parameters:
    ///   - makeStore: opens a file of the embedded engine, which is made if it is not there.
    ///   - version: of this Till.
    ///   - target: an absolute path that does not exist yet.
    /// - Returns: what is in it.
    /// - Throws: `BackupRefused`.
    package static func write(
        _ shop: Shop,
        _ directory: DataDirectory,
        makingStore makeStore: @Sendable (String) throws -> any Storage,
        version: String,
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
            let read = try await copyStore(of: shop, to: copy, makeStore)
            try copyFolders(of: directory, to: copy)
            let store = try makeStore(copy.database)
            let parts = try await TableChecksum.parts(of: store)
            let highWater = try await store.identifierHighWater()
            try await store.close()
            if let read, read != parts { throw BackupRefused.damaged(target, "what was written is not what was read") }
            let manifest = BackupManifest(
                format: BackupManifest.format,
                version: version,
                madeAt: shop.wallClock(),
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
            if error.isFullDisk { throw BackupRefused.noRoom(target) }
            throw BackupRefused.failed(target, cause: error.logText)
        }
    }

    /// - Returns: the sums of what was read, where it was read row by row.
    private static func copyStore(
        of shop: Shop,
        to copy: DataDirectory,
        _ makeStore: @Sendable (String) throws -> any Storage
    ) async throws -> [BackupManifest.Part]? {
        if try await shop.storage.backup(to: copy.database) {
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.database)
            return nil
        }
        try copy.prepareDatabase()
        let store = try makeStore(copy.database)
        let filling = StoreFilling(store)
        try await shop.storage.readWhole { part in
            try shop.checkStopping()
            try await filling.take(part)
        }
        try await store.close()
        return await filling.parts()
    }

    /// Certificates and keys, for their owner only.
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

/// Writes down what is read of another store, and adds it up on its way.
private actor StoreFilling {
    private let store: any Storage
    private var sums: [String: TableChecksum.Making] = [:]
    private var snapshots: [String] = []

    init(_ store: any Storage) { self.store = store }

    func take(_ part: StoredPart) async throws {
        switch part {
        case .highWater(let mark): try await store.reserveIdentifiers(below: mark)
        case .rows(let rows, let table):
            for row in rows { sums[table.rawValue, default: TableChecksum.Making(of: table)].add(row) }
            try await store.add(rows, to: table)
        case .snapshot(let snapshot):
            snapshots.append(snapshot.name)
            try await store.add([], of: .documents, to: snapshot)
        case .rowsOfSnapshot(let rows, let table, let snapshot):
            let name = TableChecksum.name(of: table, in: snapshot.name)
            for row in rows { sums[name, default: TableChecksum.Making(of: table)].add(row) }
            try await store.add(rows, of: table, to: snapshot)
        }
    }

    func parts() -> [BackupManifest.Part] {
        ([nil] + snapshots).flatMap { snapshot in
            ShopTable.allCases.map { table in
                let name = TableChecksum.name(of: table, in: snapshot)
                return BackupManifest.Part(name: name, sum: (sums[name] ?? TableChecksum.Making(of: table)).sum())
            }
        }
    }
}

/// Why no backup was written, or none can be put back.
package enum BackupRefused: Error, CustomStringConvertible {
    case notAbsolute(String)
    case exists(String)
    case inside(String, String)
    case failed(String, cause: String)
    case noRoom(String)
    case noFolder(String)
    case unreadable(String)
    case noBackup(String)
    case otherFormat(String)
    case damaged(String, String)
    case occupied(String, by: String)

    package var description: String {
        switch self {
        case .notAbsolute(let path): "\(path) is not an absolute path; the server writes on its own machine."
        case .exists(let path): "\(path) exists; name a folder that does not."
        case .inside(let path, let directory):
            "\(path) lies in the data directory \(directory), where the backup would be lost together with the shop. "
                + "Name a folder outside of it."
        case .failed(let path, let cause): "The backup to \(path) failed, and nothing is left of it: \(cause)"
        case .noRoom(let path):
            "There is no room on the disk for a backup to \(path), and nothing is left of it. Make room, or name a "
                + "folder on another disk."
        case .noFolder(let path): "There is no folder \(path). Name the one that till backup wrote with --from."
        case .unreadable(let path):
            "\(path) cannot be read. It must be readable for who runs till restore: check owner and mode."
        case .noBackup(let path):
            "\(path) is no backup, or not a whole one: it has no backup.json. What an older till backup wrote is "
                + "started on as it is: till serve --data \(path)"
        case .otherFormat(let path): "\(path) was written by another version of Till. Put it back with that version."
        case .damaged(let path, let what): "\(path) is damaged: \(what). Take another backup; nothing was changed."
        case .occupied(let path, let what):
            "\(path) has \(what) already. Name an empty folder with --data, or put the backup in its place with "
                + "--replace."
        }
    }
}
