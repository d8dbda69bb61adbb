import Foundation
import TillCore
import TillStorage

/// Puts a backup back: into an empty data directory, or a database and a data directory for its certificates and keys.
///
/// The backup is compared with its `backup.json` first, and what was put down with it last. A folder is built aside and
/// moved into place; what lay there before is kept beside it.
package struct Restore: Sendable {
    private let backup: DataDirectory
    private let target: DataDirectory
    private let stores: Stores

    /// How stores are opened, which the shop itself does not know.
    package struct Stores: Sendable {
        /// Which version of Till made the tables of a file of the embedded engine.
        package let version: @Sendable (String) throws -> StoreVersion
        /// Such a file, to be read. Its tables may be of an older version.
        package let examine: @Sendable (String) throws -> any Storage
        /// The same to be written, made if it is not there.
        package let make: @Sendable (String) throws -> any Storage

        /// How stores are opened.
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

    /// What was put back.
    package struct Report: Sendable {
        /// What the backup said of itself, and what is there now.
        package let manifest: BackupManifest
        /// Whether an older Till made the backup, so that its tables were migrated to this version.
        package let wasOlder: Bool
        /// Where what lay in the folder before lies now; nil when it was empty.
        package let before: String?
        /// The first identifier, counted, that may be given out now.
        package let identifiersFrom: Int64
    }

    /// - Parameter target: the data directory, at which nobody may be at work.
    package init(of backup: DataDirectory, to target: DataDirectory, _ stores: Stores) {
        self.backup = backup
        self.target = target
        self.stores = stores
    }

    /// Puts it back.
    ///
    /// - Parameters:
    ///   - database: where the rows go instead of the folder, opened.
    ///   - replaces: puts it in the place of what is there.
    /// - Throws: `BackupRefused`, `MigrationRefused`, `DirectoryRefused`, and what the engines throw.
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
        let identifiers = firstIdentifier(after: manifest, givenBefore: try await givenBefore(database, occupied))
        if let database {
            try await database.requireNoServer()
            if replaces { try await database.declareUnfinished(by: .restore) }
            let migration = StoreMigration(from: source, to: database, as: .restore, noting: note)
            let report = try await migration.run { try await Self.goOn($0, from: identifiers) }
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

    // MARK: What was given out since

    /// How far the store had come that is replaced, as far as anybody can tell: 0 where it is lost.
    private func givenBefore(_ database: (any Storage)?, _ occupied: [String]) async throws -> Int64 {
        if let database { return try await database.identifierHighWater() }
        guard occupied.contains("till.sqlite"), let before = try? stores.examine(target.database) else { return 0 }
        let mark = (try? await before.identifierHighWater()) ?? 0
        try await before.close()
        return mark
    }

    /// What was given out since the backup was made names nothing else. Where the store that gave it out is not there
    /// to be asked, a gap is left that no shop fills: the longer ago, the larger.
    private func firstIdentifier(after manifest: BackupManifest, givenBefore: Int64) -> Int64 {
        if givenBefore >= manifest.identifiersFrom { return givenBefore }
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let seconds = max(0, now - manifest.madeAt.milliseconds) / 1_000
        return manifest.identifiersFrom + min(Self.leastGap + seconds * Self.gapASecond, Self.mostGap)
    }

    /// A million, for what a second takes and for clocks that differ.
    private static let leastGap: Int64 = 1 << 20
    /// More purchases, rows and notifications than any one store makes for long.
    private static let gapASecond: Int64 = 256
    /// A third of all that order numbers have room for.
    private static let mostGap: Int64 = 1 << 35

    /// The last steps before the store may be used.
    private static func goOn(_ store: any Storage, from identifiers: Int64) async throws {
        try await store.reserveIdentifiers(below: identifiers)
        try await RestoreEpoch.beginAnother(in: store)
    }

    // MARK: The backup

    /// A store that holds what a backup holds, with the manifest that fits it.
    private struct Opened {
        let store: any Storage
        /// Of its file.
        let path: String
        let manifest: BackupManifest
    }

    /// Opens the store of the backup and compares it with the manifest. A store that an older Till made is copied and
    /// migrated there; the backup itself is only read.
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
            throw BackupRefused.damaged(backup.path, "\(wrong.path) is not what it was")
        }
        guard files.count == manifest.files.count else {
            throw BackupRefused.damaged(backup.path, "there are more certificates and keys than there were")
        }
        let parts = try await TableChecksum.parts(of: source)
        guard parts == manifest.parts else {
            let wrong = manifest.parts.first { !parts.contains($0) }?.name ?? "the snapshots"
            let hint = "\(wrong) is not what it was (a server that works on a backup changes it)"
            throw BackupRefused.damaged(backup.path, hint)
        }
    }

    // MARK: The folder

    /// What a data directory may hold of a shop.
    private static let things = [
        "till.sqlite", "till.sqlite-wal", "till.sqlite-shm", "ca", "keys", "tls", "ports.json", "control-token",
        "backup.json",
    ]

    private func occupied() throws -> [String] {
        let files = FileManager.default
        return Self.things.filter { name in
            let path = "\(target.path)/\(name)"
            // A folder with nothing in it is no shop.
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
            throw BackupRefused.damaged(backup.path, "what was put down is not what was read")
        }
        try await Self.goOn(store, from: identifiers)
        try await store.close()
    }

    /// - Returns: where lies what was there before.
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
        // The database comes last: a folder without one is no shop yet.
        for name in try files.contentsOfDirectory(atPath: made.path).sorted(by: {
            $0 != "till.sqlite" && $1 == "till.sqlite"
        }) {
            try? files.removeItem(atPath: "\(target.path)/\(name)")
            try files.moveItem(atPath: "\(made.path)/\(name)", toPath: "\(target.path)/\(name)")
        }
        return before
    }
}
