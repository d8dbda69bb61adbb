import ArgumentParser
import Foundation
import Synchronization
import TillPostgres
import TillSQLite
import TillShop
import TillStorage

struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Puts a backup back, and checks that all of it is there.",
        discussion: """
            till restore --from /var/backups/till-monday --data ./till-data
            TILL_DATABASE=postgres://… till restore --from /var/backups/till-monday --data ./till-data

            No server may be at work on the data directory or the database, and both must be empty; with --replace the
            backup takes the place of what is there, and a folder's old content is kept beside it. The backup may have
            been made on either engine. With a database, only certificates and keys go to the data directory.
            """
    )

    @Option(help: "The folder that till backup wrote.")
    var from: String
    @Option(help: "The data directory to put it in (default ./till-data).")
    var data: String?
    @Option(help: "postgres://…: the database to put it in. Prefer TILL_DATABASE: flags are seen by all.")
    var database: String?
    @Flag(help: "Puts it in the place of what is there.")
    var replace = false
    @Flag(help: "Prints what was put back as JSON.")
    var json = false

    func run() async throws {
        let settings = try await SettingsSource(file: nil)
        let target = DataDirectory(Self.absolute(settings.text(data, "data") ?? "./till-data"))
        let backup = DataDirectory(Self.absolute(from))
        try Self.requireApart(backup, target, from)
        let folder = TargetFolder(target)
        let progress = Progress()
        var lock: DirectoryLock?
        var store: PostgresStorage?
        defer { withExtendedLifetime(lock) {} }
        do {
            let url = try settings.text(database, "database").map { try DatabaseURL($0) }
            // Before anything is made: what is no backup leaves no folder behind.
            _ = try BackupManifest(of: backup)
            lock = try DirectoryLock(target)
            store = try url.map { try PostgresStorage($0) }
            let stores = Restore.Stores(
                version: { try SQLiteStorage.version(of: $0) },
                examine: { try SQLiteStorage(examining: $0, allowsOlder: true) },
                make: { try SQLiteStorage(path: $0) }
            )
            let restoration = Restore(of: backup, to: target, stores)
            let report = try await restoration.run(into: store, replacing: replace) { _ in progress.begin() }
            // Everything is there, however the store closes.
            try? await store?.close()
            show(report, in: target, isDatabase: url != nil)
        } catch {
            throw await Self.refusal(error, store, folder, hasBegun: progress.hasBegun)
        }
    }

    /// What is said of an error. That the target is not whole is said of one in which something was put, or may have
    /// been, alone: another may be somebody else's, and whole.
    private static func refusal(
        _ error: any Error,
        _ store: (any Storage)?,
        _ folder: TargetFolder,
        hasBegun: Bool
    ) async -> CommandRefused {
        let isUnfinished = if let store { (try? await store.unfinished != nil) ?? true } else { false }
        let words = (Store.refusal(error) ?? Store.failure(error)).description.sentence
        if hasBegun || isUnfinished || folder.isTouched {
            return CommandRefused("\(words) What was put down is not whole; put it back once more, with --replace.")
        }
        try? await store?.close()
        folder.clear()
        return Store.refusal(error) ?? CommandRefused("\(words) Nothing was changed.")
    }

    /// What is put into a backup is lost with it, and makes another of it.
    private static func requireApart(_ backup: DataDirectory, _ target: DataDirectory, _ from: String) throws {
        let (kept, place) = (backup.realPath, target.realPath)
        guard kept != place else {
            throw CommandRefused("\(from) is the data directory itself. Name another with --data.")
        }
        guard !place.hasPrefix(kept + "/") else {
            throw CommandRefused("\(target.path) lies in the backup \(from). Name another data directory with --data.")
        }
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    private func show(_ report: Restore.Report, in target: DataDirectory, isDatabase: Bool) {
        let tables = report.manifest.parts.map { part in
            JSONTree.members([
                "table": .string(part.name), "rows": .number(String(part.rows)), "sha256": .string(part.sha256),
            ])
        }
        let tree = JSONTree.members([
            "directory": .string(target.path), "before": .text(report.before), "tables": .array(tables),
            "identifiersFrom": .number(String(report.identifiersFrom)), "migrated": .bool(report.wasOlder),
        ])
        Output.show(tree, asJSON: json) { _ in
            let width = report.manifest.parts.map(\.name.count).max() ?? 0
            let lines = report.manifest.parts.map { part in
                part.name.padding(toLength: width, withPad: " ", startingAt: 0)
                    + "  \(part.rows) rows, as in the backup, SHA-256 \(part.sha256.prefix(16))…"
            }
            let before = report.before.map { "\nWhat lay in \(target.path) before lies in \($0) now." } ?? ""
            let migrated = "\nAn older Till made the backup; its tables were migrated to this version."
            let older = report.wasOlder ? migrated : ""
            let place = isDatabase ? "the database, its certificates and keys in \(target.path)" : target.path
            return lines.joined(separator: "\n") + "\nThe backup is in \(place)." + older + before
        }
    }
}

/// Whether anything was put down yet.
private final class Progress: Sendable {
    private let state = Mutex(false)

    var hasBegun: Bool { state.withLock { $0 } }

    func begin() { state.withLock { $0 = true } }
}
