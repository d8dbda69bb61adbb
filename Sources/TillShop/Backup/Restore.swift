import Foundation
import TillCore
import TillStorage

/// Restores a backup: into an empty data directory, or into a database and a data directory for its certificates and
/// keys.
///
/// It verifies the backup against its `backup.json` first, and the result last. It builds the folder in another place
/// and moves it; the former content is kept beside it.
package struct Restore: Sendable {
    private let backup: DataDirectory
    private let target: DataDirectory
    private let stores: Stores

    /// How to open stores, which the shop itself does not know.
    package struct Stores: Sendable {
        /// The version of the tables in a file of the embedded engine.
        package let version: @Sendable (String) throws -> StoreVersion
        /// Opens such a file for reading. Its tables may be of an older version.
        package let examine: @Sendable (String) throws -> any Storage
        /// Opens such a file for writing, and creates it if it is missing.
        package let make: @Sendable (String) throws -> any Storage

        /// How to open stores.
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
        /// The manifest of what was restored.
        package let manifest: BackupManifest
        /// Whether an older Till wrote the backup, so that its tables were migrated to this version.
        package let wasOlder: Bool
        /// Where the former content of the folder is now; nil if it was empty.
        package let before: String?
        /// The counter of the first identifier that may be assigned now.
        package let identifiersFrom: Int64
    }

    /// - Parameter target: the data directory; no server may use it.
    package init(of backup: DataDirectory, to target: DataDirectory, _ stores: Stores) {
        self.backup = backup
        self.target = target
        self.stores = stores
    }

    /// Restores the backup.
    ///
    /// - Parameters:
    ///   - database: an open store for the rows, instead of the folder.
    ///   - replaces: replaces existing data.
    /// - Throws: `BackupRefused`, `MigrationRefused`, `DirectoryRefused`, and errors of the engines.
    package func run(
        into database: (any Storage)?,
        replacing replaces: Bool,
        noting note: @escaping @Sendable (StoreMigration.Progress) -> Void = { _ in }
    ) async throws -> Report {
        let process = ProcessInfo.processInfo.processIdentifier
        let migrated = DataDirectory("\(target.path).migrated-\(process)")
        defer { try? FileManager.default.removeItem(atPath: migrated.path) }
        let opened = try await open(try BackupManifest(of: backup), migratingIn: migrated)
        let (manifest, source) = (opened.manifest, opened.store)
        let occupied = try occupied()
        if let first = occupied.first, !replaces { throw BackupRefused.occupied(target.path, by: first) }
        let former = try await formerHighWater(database, occupied)
        let identifiers = firstIdentifier(after: manifest, formerHighWater: former)
        if let database {
            try await database.requireNoServer()
            if replaces { try await database.declareUnfinished(by: .restore) }
            let migration = StoreMigration(from: source, to: database, as: .restore, noting: note)
            let report = try await migration.run { try await Self.prepareForUse($0, from: identifiers) }
            let parts = report.parts.map { BackupManifest.Part(name: $0.name, sum: $0.sum) }
            guard parts == manifest.parts else { throw BackupRefused.damaged(backup.path, "it changed meanwhile") }
        }
        try await source.close()
        let made = DataDirectory("\(target.path).unfinished-\(process)")
        defer { try? FileManager.default.removeItem(atPath: made.path) }
        try await build(made, manifest, from: identifiers, withStore: database == nil ? opened.path : nil)
        let before = try move(made, occupied, at: manifest)
        return Report(
            manifest: manifest,
            wasOlder: opened.path != backup.database,
            before: before,
            identifiersFrom: identifiers
        )
    }

    // MARK: Identifiers assigned since the backup

    /// The identifier high-water mark of the store that is replaced, if it can be read; 0 if it is lost.
    private func formerHighWater(_ database: (any Storage)?, _ occupied: [String]) async throws -> Int64 {
        if let database { return try await database.identifierHighWater() }
        guard occupied.contains("till.sqlite"), let before = try? stores.examine(target.database) else { return 0 }
        let mark = (try? await before.identifierHighWater()) ?? 0
        try await before.close()
        return mark
    }

    /// Identifiers that were assigned since the backup must not be reused. If the store that assigned them cannot be
    /// read, a gap is left that is larger than what any shop can assign; it grows with the age of the backup.
    private func firstIdentifier(after manifest: BackupManifest, formerHighWater: Int64) -> Int64 {
        if formerHighWater >= manifest.identifiersFrom { return formerHighWater }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let seconds = max(0, now - manifest.madeAt.milliseconds) / 1_000
        return manifest.identifiersFrom + min(Self.leastGap + seconds * Self.gapASecond, Self.maxGap)
    }

    /// A million, for the last second and for clocks that differ.
    private static let leastGap: Int64 = 1 << 20
    /// More purchases, transactions and notifications than any store creates over a long time.
    private static let gapASecond: Int64 = 256
    /// A third of the range of order numbers.
    private static let maxGap: Int64 = 1 << 35

    /// The last steps before the store may be used.
    private static func prepareForUse(_ store: any Storage, from identifiers: Int64) async throws {
        try await store.reserveIdentifiers(below: identifiers)
        try await RestoreEpoch.beginAnother(in: store)
    }

    // MARK: The backup

    /// A store with the data of a backup, and the matching manifest.
    private struct Opened {
        let store: any Storage
        /// The path of its file.
        let path: String
        let manifest: BackupManifest
    }

    /// Opens the store of the backup and verifies it against the manifest. A store of an older Till is copied, and the
    /// copy is migrated; the backup itself is only read.
    private func open(_ manifest: BackupManifest, migratingIn folder: DataDirectory) async throws -> Opened {
        do {
            switch try stores.version(backup.database) {
            case .newer: throw BackupRefused.otherFormat(backup.path)
            case .current:
                let store = try stores.examine(backup.database)
                try await check(manifest, store)
                return Opened(store: store, path: backup.database, manifest: manifest)
            case .older:
                try DataDirectory.makeFolder(folder.path)
                try copyStore(backup.database, to: folder)
                let older = try stores.examine(folder.database)
                try await check(manifest, older)
                try await older.close()
                try await stores.make(folder.database).close()
                let store = try stores.examine(folder.database)
                let parts = try await TableChecksum.parts(of: store)
                return Opened(store: store, path: folder.database, manifest: manifest.with(parts))
            }
        } catch let refused as BackupRefused {
            throw refused
        } catch let error where error.isFullDisk {
            throw error
        } catch {
            throw BackupRefused.damaged(backup.path, "its database cannot be read (\(error.logText))")
        }
    }

    private func copyStore(_ path: String, to directory: DataDirectory) throws {
        try directory.prepareDatabase()
        try FileManager.default.removeItem(atPath: directory.database)
        try FileManager.default.copyItem(atPath: path, toPath: directory.database)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: directory.database)
    }

    private func check(_ manifest: BackupManifest, _ source: any Storage) async throws {
        let files = try BackupManifest.files(in: backup)
        if let wrong = manifest.files.first(where: { !files.contains($0) }) {
            throw BackupRefused.damaged(backup.path, "\(wrong.path) was changed")
        }
        guard files.count == manifest.files.count else {
            throw BackupRefused.damaged(backup.path, "it contains certificates or keys that were added later")
        }
        let parts = try await TableChecksum.parts(of: source)
        guard parts == manifest.parts else {
            let wrong = manifest.parts.first { !parts.contains($0) }?.name ?? "the snapshots"
            let hint = "\(wrong) was changed (a server that runs on a backup changes it)"
            throw BackupRefused.damaged(backup.path, hint)
        }
    }

    // MARK: The folder

    /// The files and folders of a shop in a data directory.
    private static let things = [
        "till.sqlite", "till.sqlite-wal", "till.sqlite-shm", "ca", "keys", "tls", "ports.json", "control-token",
        "backup.json",
    ]

    private func occupied() throws -> [String] {
        let files = FileManager.default
        return Self.things.filter { name in
            let path = "\(target.path)/\(name)"
            // An empty folder does not count.
            if let content = try? files.contentsOfDirectory(atPath: path) { return !content.isEmpty }
            return files.fileExists(atPath: path)
        }
    }

    private func build(
        _ made: DataDirectory,
        _ manifest: BackupManifest,
        from identifiers: Int64,
        withStore path: String?
    ) async throws {
        try? FileManager.default.removeItem(atPath: made.path)
        try DataDirectory.makeFolder(made.path)
        try Backup.copyFolders(of: backup, to: made)
        guard try BackupManifest.files(in: made) == manifest.files else {
            throw BackupRefused.damaged(backup.path, "its certificates and keys changed meanwhile")
        }
        guard let path else { return }
        try copyStore(path, to: made)
        let store = try stores.make(made.database)
        guard try await TableChecksum.parts(of: store) == manifest.parts else {
            throw BackupRefused.damaged(backup.path, "the copy differs from the backup")
        }
        try await Self.prepareForUse(store, from: identifiers)
        try await store.close()
    }

    /// - Returns: where the former content is now.
    private func move(_ made: DataDirectory, _ occupied: [String], at manifest: BackupManifest) throws -> String? {
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
        // The database is moved last: a folder without one is not a shop yet.
        for name in try files.contentsOfDirectory(atPath: made.path).sorted(by: {
            $0 != "till.sqlite" && $1 == "till.sqlite"
        }) {
            try? files.removeItem(atPath: "\(target.path)/\(name)")
            try files.moveItem(atPath: "\(made.path)/\(name)", toPath: "\(target.path)/\(name)")
        }
        return before
    }
}
