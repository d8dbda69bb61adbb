import ArgumentParser
import Foundation
import TillControl
import TillJSON
import TillPostgres
import TillSQLite
import TillShop
import TillStorage

struct BackupCommand: SendingCommand {
    static let summary = "Copies all data into a new folder while the server runs."
    static let examples = """
        till backup /var/backups/till-monday
        # starts a server with the copy
        till serve --data /var/backups/till-monday
        # restores the copy
        till restore --from /var/backups/till-monday
        """
    static let notes =
        "The copy has the database, certificates and keys. Its database is SQLite, also if the server's is not."

    @Argument(help: "A folder that does not exist yet, on the server's machine.", completion: .directory)
    var folder: String
    @OptionGroup var options: ServerOptions

    var timeout: Duration { .seconds(36_000) }

    func request(_ client: ControlClient) -> CreateBackup {
        CreateBackup(to: folder.absolutePath)
    }

    func text(_ backup: BackupInfo) -> String {
        let rows = backup.tables.reduce(0) { $0 + $1.rows }
        return "Copied to \(backup.directory): \(rows) rows. The copy was read and verified."
    }
}

struct RestoreCommand: DocumentedCommand {
    static let summary = "Restores a backup and verifies it."
    static let examples = "till restore --from /var/backups/till-monday --data ./till-data"
    static let notes =
        "No server may run on the data directory or the database, and both must be empty. With --replace, the "
        + "backup replaces the existing data, and the old folder is kept next to the new folder. The backup may be "
        + "of SQLite or PostgreSQL. With TILL_DATABASE, it is restored to PostgreSQL, and only certificates and "
        + "keys go to the data directory."

    @Option(help: "The folder that till backup wrote.", completion: .directory)
    var from: String
    @Option(
        help: "The data directory to which the backup is restored (environment: TILL_DATA; default: ./till-data).",
        completion: .directory
    )
    var data: String?
    @Option(
        help: """
            The URL of a PostgreSQL database to restore to. Prefer the variable: all users see flags (environment: \
            TILL_DATABASE).
            """
    )
    var database: String?
    @Flag(help: "Replaces existing data.")
    var replace = false
    @Flag(help: "Prints the restored tables as JSON.")
    var json = false

    func run() async throws {
        let settings = try await SettingsSource()
        let target = DataDirectory((data ?? settings.text("data") ?? "./till-data").absolutePath)
        let backup = DataDirectory(from.absolutePath)
        try Self.requireApart(backup, target, from)
        let folder = TargetFolder(target)
        let hasBegun = Synchronized(false)
        var lock: DirectoryLock?
        var store: PostgresStorage?
        defer { withExtendedLifetime(lock) {} }
        do {
            let url = try (database ?? settings.text("database")).map { try DatabaseURL($0) }
            // The backup is checked first, so that a wrong --from leaves no folder behind.
            _ = try BackupManifest(of: backup)
            lock = try DirectoryLock(target)
            store = try url.map { try PostgresStorage($0) }
            let stores = Restore.Stores(
                version: { try SQLiteStorage.version(of: $0) },
                examine: { try SQLiteStorage(examining: $0, allowsOlder: true) },
                make: { try SQLiteStorage(path: $0) }
            )
            let restore = Restore(of: backup, to: target, stores)
            let report = try await restore.run(into: store, replacing: replace) { _ in hasBegun.value = true }
            // The restore is complete, so an error when closing the store is ignored.
            try? await store?.close()
            show(report, in: target, isDatabase: url != nil)
        } catch {
            throw await Self.refusal(error, store, folder, hasBegun: hasBegun.value)
        }
    }

    /// The message of an error. It calls the target incomplete only if something was, or may have been, written to it.
    /// Any other target may hold complete data of another server.
    private static func refusal(
        _ error: any Error,
        _ store: (any Storage)?,
        _ folder: TargetFolder,
        hasBegun: Bool
    ) async -> CommandRefused {
        let isUnfinished = if let store { (try? await store.unfinished != nil) ?? true } else { false }
        let words = (CommandRefused.refusal(error) ?? CommandRefused.failure(error)).description.sentence
        if hasBegun || isUnfinished || folder.isTouched {
            return CommandRefused("\(words) The restored data is incomplete. Restore it again with --replace.")
        }
        try? await store?.close()
        folder.clear()
        return CommandRefused.refusal(error) ?? CommandRefused("\(words) Nothing was changed.")
    }

    /// Refuses to restore into the backup's own folder, which would change the backup and could destroy it.
    private static func requireApart(_ backup: DataDirectory, _ target: DataDirectory, _ from: String) throws {
        let (kept, place) = (backup.realPath, target.realPath)
        guard kept != place else {
            throw CommandRefused("\(from) is the data directory itself. Give another folder with --data.")
        }
        guard !place.hasPrefix(kept + "/") else {
            throw CommandRefused("\(target.path) is inside the backup \(from). Give another folder with --data.")
        }
    }

    private func show(_ report: Restore.Report, in target: DataDirectory, isDatabase: Bool) {
        let tables = CopiedTables(tables: report.manifest.parts.map { ($0.name, $0.rows, $0.sha256) })
        let tree = JSONTree.members([
            "directory": .string(target.path), "before": .text(report.before), "tables": tables.json,
            "identifiersFrom": .number(String(report.identifiersFrom)), "migrated": .bool(report.wasOlder),
        ])
        Output.show(tree, asJSON: json) { _ in
            let before = report.before.map { "\nThe old content of \(target.path) is now in \($0)." } ?? ""
            let migrated = "\nThe backup is from an older Till; its tables were migrated to this version."
            let older = report.wasOlder ? migrated : ""
            let place = isDatabase ? "the database, its certificates and keys in \(target.path)" : target.path
            return tables.lines("as in the backup") + "\nThe backup is in \(place)." + older + before
        }
    }
}
