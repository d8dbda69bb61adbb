import Foundation
import TillCore
import TillStorage

/// Restores a backup into a data directory. If a database is given, the rows go into the database, and the data
/// directory receives only the certificates and keys.
///
/// The files are copied to a temporary folder, verified against `backup.json`, and then moved. The former content of
/// the directory is kept in a folder beside it.
package struct Restore: Sendable {
    private let backup: DataDirectory
    private let target: DataDirectory
    private let stores: Stores

    /// The functions that open stores. The caller supplies them, because this module does not import the engines.
    package struct Stores: Sendable {
        /// Returns the version of the tables in a file of the embedded engine.
        package let version: @Sendable (String) throws -> StoreVersion
        /// Opens a file of the embedded engine for reading. Its tables may have an older version.
        package let examine: @Sendable (String) throws -> any Storage
        /// Opens a file of the embedded engine for writing, and creates the file if it is missing.
        package let make: @Sendable (String) throws -> any Storage

        /// Creates the set of functions.
        package init(
            version: @escaping @Sendable (String) throws -> StoreVersion,
            examine: @escaping @Sendable (String) throws -> any Storage,
            make: @escaping @Sendable (String) throws -> any Storage
        ) {
            self.version = version
            self.examine = examine
            self.make = make
        }
    }

    /// The result of a restore.
    package struct Report: Sendable {
        /// The manifest of the backup; if the tables were migrated, with the checksums of the migrated tables.
        package let manifest: BackupManifest
        /// Whether an older version of Till wrote the backup. The tables were then migrated to this version.
        package let wasOlder: Bool
        /// The folder to which the former content of the data directory was moved; nil if the directory was empty.
        package let before: String?
        /// The counter of the first identifier that the restored store may assign.
        package let identifiersFrom: Int64
    }

    /// - Parameter target: the data directory; no server may be using it.
    package init(of backup: DataDirectory, to target: DataDirectory, _ stores: Stores) {
        self.backup = backup
        self.target = target
        self.stores = stores
    }

    /// Restores the backup.
    ///
    /// - Parameters:
    ///   - database: an open store that receives the rows; if nil, the rows go into the data directory.
    ///   - replaces: whether existing data is replaced; otherwise existing data is an error.
    /// - Throws: `BackupRefused`, `MigrationRefused`, `DirectoryRefused`, and errors of the engines.
    package func run(
        into database: (any Storage)?,
        replacing replaces: Bool,
        noting note: @escaping @Sendable (StoreProgress) -> Void = { _ in }
    ) async throws -> Report {
        let written = try BackupManifest(of: backup)
        let made = DataDirectory("\(target.path).unfinished-\(ProcessInfo.processInfo.processIdentifier)")
        defer { try? FileManager.default.removeItem(atPath: made.path) }
        let verified = try await copy(written, to: made, withStore: database == nil)
        let occupied = try occupied()
        if let first = occupied.first, !replaces { throw BackupRefused.occupied(target.path, by: first) }
        let former = try await formerHighWater(database, occupied)
        let identifiers = firstIdentifier(after: verified.manifest, formerHighWater: former)
        if let database {
            try await database.requireNoServer()
            if replaces { try await database.declareUnfinished(by: .restore) }
            let source = try stores.examine(verified.folder.database)
            let migration = StoreMigration(from: source, to: database, as: .restore, noting: note)
            let report = try await migration.run { try await Self.prepareForUse($0, from: identifiers) }
            guard report.parts == verified.manifest.parts else {
                throw BackupRefused.damaged(backup.path, "it changed during the restore")
            }
            try await source.close()
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: made.database + suffix) }
        } else {
            let store = try stores.make(made.database)
            try await Self.prepareForUse(store, from: identifiers)
            try await keepAudit(in: store)
            try await store.close()
        }
        return Report(
            manifest: verified.manifest,
            wasOlder: verified.isMigrated,
            before: try move(made, occupied),
            identifiersFrom: identifiers
        )
    }

    // MARK: Identifiers assigned since the backup

    /// The identifier high-water mark of the store that is replaced; 0 if the file of that store cannot be read.
    private func formerHighWater(_ database: (any Storage)?, _ occupied: [String]) async throws -> Int64 {
        if let database { return try await database.identifierHighWater() }
        guard occupied.contains("till.sqlite"), let before = try? stores.examine(target.database) else { return 0 }
        let mark = (try? await before.identifierHighWater()) ?? 0
        try await before.close()
        return mark
    }

    /// The counter of the first identifier after the restore. Identifiers that were assigned since the backup must not
    /// be reused. If the store that assigned them cannot be read, the restore skips more identifiers than any server
    /// can have assigned since the backup.
    private func firstIdentifier(after manifest: BackupManifest, formerHighWater: Int64) -> Int64 {
        if formerHighWater >= manifest.identifiersFrom { return formerHighWater }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let seconds = max(0, now - manifest.madeAt.milliseconds) / 1_000
        return manifest.identifiersFrom + min(Self.leastGap + seconds * Self.gapASecond, Self.maxGap)
    }

    /// The minimum gap: about a million identifiers, because ages are rounded to seconds and machine clocks differ.
    private static let leastGap: Int64 = 1 << 20
    /// The gap for each second since the backup: more identifiers than any server assigns per second on average.
    private static let gapASecond: Int64 = 256
    /// The maximum gap: a third of the range of order numbers.
    private static let maxGap: Int64 = 1 << 35

    /// Reserves the identifiers and begins a new restore epoch, before a server uses the store.
    private static func prepareForUse(_ store: any Storage, from identifiers: Int64) async throws {
        try await store.reserveIdentifiers(below: identifiers)
        try await RestoreEpoch.beginAnother(of: nil, in: store)
    }

    // MARK: The backup

    /// A verified backup, whose tables have this version.
    private struct Verified {
        /// The manifest, with the checksums of the migrated tables.
        var manifest: BackupManifest
        /// The folder with the database.
        let folder: DataDirectory
        /// Whether the database is a copy whose tables were migrated, because an older version of Till wrote it.
        let isMigrated: Bool
    }

    /// Copies the backup to a folder, and verifies it. The backup itself is only read.
    ///
    /// - Parameter isStoreCopied: whether to copy the database even if its tables need no migration.
    private func copy(
        _ manifest: BackupManifest,
        to made: DataDirectory,
        withStore isStoreCopied: Bool
    ) async throws -> Verified {
        let version = try await explaining {
            let version = try stores.version(backup.database)
            if version == .newer { throw BackupRefused.otherFormat(backup.path) }
            try check(try BackupManifest.files(in: backup), manifest)
            return version
        }
        try? FileManager.default.removeItem(atPath: made.path)
        try DataDirectory.makeFolder(made.path)
        try Backup.copyFolders(of: backup, to: made)
        let isOlder = version == .older
        if isStoreCopied || isOlder {
            try FileManager.default.copyItem(atPath: backup.database, toPath: made.database)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: made.database)
        }
        return try await explaining {
            let folder = isStoreCopied || isOlder ? made : backup
            var verified = Verified(manifest: manifest, folder: folder, isMigrated: isOlder)
            try check(try BackupManifest.files(in: made), manifest)
            let store = try stores.examine(folder.database)
            try check(try await store.checksums(), manifest)
            try await store.close()
            if isOlder {
                let migrated = try stores.make(made.database)
                verified.manifest.parts = try await migrated.checksums()
                try await migrated.close()
            }
            return verified
        }
    }

    /// Reports any error of the body as damage of the backup, except a full disk.
    private func explaining<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let refused as BackupRefused {
            throw refused
        } catch let error where error.isFullDisk {
            throw error
        } catch {
            throw BackupRefused.damaged(backup.path, "its database cannot be read (\(error.logText))")
        }
    }

    private func check(_ files: [BackupManifest.File], _ manifest: BackupManifest) throws {
        if let wrong = manifest.files.first(where: { !files.contains($0) }) {
            throw BackupRefused.damaged(backup.path, "\(wrong.path) was changed")
        }
        guard files.count == manifest.files.count else {
            throw BackupRefused.damaged(backup.path, "it contains certificates or keys that were added later")
        }
    }

    private func check(_ parts: [TableChecksum], _ manifest: BackupManifest) throws {
        guard parts == manifest.parts else {
            let wrong = manifest.parts.first { !parts.contains($0) }?.name ?? "the snapshots"
            let hint = "\(wrong) was changed (a server that uses a backup as its data directory changes it)"
            throw BackupRefused.damaged(backup.path, hint)
        }
    }

    /// Adds the audit log of the replaced data, if its file can be read.
    private func keepAudit(in store: any Storage) async throws {
        guard FileManager.default.fileExists(atPath: target.database),
            let former = try? stores.examine(target.database)
        else { return }
        try? await store.copyAudit(of: former)
        try await former.close()
    }

    // MARK: The folder

    /// The names of the files and folders that Till creates in a data directory.
    private static let things = [
        "till.sqlite", "till.sqlite-wal", "till.sqlite-shm", "ca", "keys", "tls", "ports.json", "control-token",
        "backup.json",
    ]

    private func occupied() throws -> [String] {
        let files = FileManager.default
        return Self.things.filter { name in
            let path = "\(target.path)/\(name)"
            // An empty folder contains nothing to replace.
            if let content = try? files.contentsOfDirectory(atPath: path) { return !content.isEmpty }
            return files.fileExists(atPath: path)
        }
    }

    /// - Returns: the folder with the former content; nil if the data directory was empty.
    private func move(_ made: DataDirectory, _ occupied: [String]) throws -> String? {
        let files = FileManager.default
        var before: String?
        if !occupied.isEmpty {
            var number = 1
            while files.fileExists(atPath: "\(target.path).before-\(number)") { number += 1 }
            let aside = "\(target.path).before-\(number)"
            try DataDirectory.makeFolder(aside)
            for name in occupied { try files.moveItem(atPath: "\(target.path)/\(name)", toPath: "\(aside)/\(name)") }
            before = aside
        }
        // The database is moved last, so that it is never in the data directory without its certificates and keys.
        for name in try files.contentsOfDirectory(atPath: made.path).sorted(by: {
            $0 != "till.sqlite" && $1 == "till.sqlite"
        }) {
            try? files.removeItem(atPath: "\(target.path)/\(name)")
            try files.moveItem(atPath: "\(made.path)/\(name)", toPath: "\(target.path)/\(name)")
        }
        return before
    }
}
