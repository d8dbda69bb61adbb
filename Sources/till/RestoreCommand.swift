import ArgumentParser
import Foundation
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
        guard backup.path != target.path else {
            throw CommandRefused("\(from) is the data directory itself. Name another with --data.")
        }
        do {
            let url = try settings.text(database, "database").map { try DatabaseURL($0) }
            // Before anything is made: what is no backup leaves no folder behind.
            _ = try BackupManifest(of: backup)
            let lock = try DirectoryLock(target)
            let store = try url.map { try PostgresStorage($0) }
            let stores = Restoration.Stores(
                examine: { try SQLiteStorage(examining: $0) },
                make: { try SQLiteStorage(path: $0) }
            )
            let report = try await Restoration(of: backup, to: target, stores).run(into: store, replacing: replace)
            try await store?.close()
            withExtendedLifetime(lock) {}
            show(report, in: target, isDatabase: url != nil)
        } catch {
            throw Store.refusal(error)
                ?? CommandRefused("\(error). What was put down is not whole; put it back once more, with --replace.")
        }
    }

    private static func absolute(_ path: String) -> String { URL(fileURLWithPath: path).standardizedFileURL.path }

    private func show(_ report: Restoration.Report, in target: DataDirectory, isDatabase: Bool) {
        let tables = report.manifest.parts.map { part in
            JSONTree.members([
                "table": .string(part.name), "rows": .number(String(part.rows)), "sha256": .string(part.sha256),
            ])
        }
        let tree = JSONTree.members([
            "directory": .string(target.path), "before": .text(report.before), "tables": .array(tables),
            "identifiersFrom": .number(String(report.identifiersFrom)),
        ])
        Output.show(tree, asJSON: json) { _ in
            let width = report.manifest.parts.map(\.name.count).max() ?? 0
            let lines = report.manifest.parts.map { part in
                part.name.padding(toLength: width, withPad: " ", startingAt: 0)
                    + "  \(part.rows) rows, as in the backup, SHA-256 \(part.sha256.prefix(16))…"
            }
            let before = report.before.map { "\nWhat lay in \(target.path) before lies in \($0) now." } ?? ""
            let place = isDatabase ? "the database, its certificates and keys in \(target.path)" : target.path
            return lines.joined(separator: "\n") + "\nThe backup is in \(place)." + before
        }
    }
}
