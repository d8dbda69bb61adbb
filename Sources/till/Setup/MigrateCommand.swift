import ArgumentParser
import Foundation
import Synchronization
import TillJSON
import TillPostgres
import TillSQLite
import TillShop
import TillStorage

struct MigrateCommand: DocumentedCommand {
    static let summary = "Copies all data from SQLite to PostgreSQL, or back, and verifies the copy."
    static let examples = """
        export TILL_DATABASE=postgres://till@db.example.com/till
        till migrate --from sqlite:./till-data --to database
        till migrate --from database --to sqlite:./till-data
        """
    static let notes =
        "Stop every server on both sides first. The source is only read. The target must be empty. The word "
        + "database means the URL in TILL_DATABASE, which process lists do not show. Certificates, keys and tokens "
        + "stay in the data directory. The request log is not copied."

    @Option(help: "The source: sqlite:FOLDER, postgres://… or database.")
    var from: String
    @Option(help: "The target: sqlite:FOLDER, postgres://… or database.")
    var to: String
    @Flag(help: "Prints the copied tables as JSON.")
    var json = false

    func run() async throws {
        let (from, to) = (try StoreAddress(from, of: "--from"), try StoreAddress(to, of: "--to"))
        if let same = from.name, same == to.name {
            throw CommandRefused("--from and --to are the same store, \(same). Give another store with --to.")
        }
        let folder = to.directory.map { TargetFolder($0) }
        let lines = ProgressLines()
        var target: StoreAddress.Opened?
        do {
            // The source is opened first, so that a failure leaves no files in the target folder.
            let source = try from.open(isTarget: false)
            try await StoreMigration.requireSource(source.storage)
            let opened = try to.open(isTarget: true)
            target = opened
            let report = try await StoreMigration(from: source.storage, to: opened.storage) { lines.show($0) }.run()
            // The copy is complete, so an error when closing the stores is ignored.
            try? await source.storage.close()
            try? await opened.storage.close()
            withExtendedLifetime((source, opened)) {}
            show(report, in: to)
        } catch {
            throw await refusal(error, target, folder, hasBegun: lines.hasBegun.value)
        }
    }

    /// The message of an error. It calls the target incomplete only if the target has the mark of an unfinished
    /// migration. Any other target may hold complete data of another server.
    private func refusal(
        _ error: any Error,
        _ target: StoreAddress.Opened?,
        _ folder: TargetFolder?,
        hasBegun: Bool
    ) async -> CommandRefused {
        let refused = CommandRefused.refusal(error)
        guard let target else {
            folder?.clear()
            return refused ?? CommandRefused.failure(error)
        }
        defer { withExtendedLifetime(target) {} }
        guard let isUnfinished = try? await target.storage.unfinished != nil else {
            let words = (refused ?? CommandRefused.failure(error)).description.sentence
            return CommandRefused("\(words) If the target has copied data, it is incomplete: run the migration again.")
        }
        if !isUnfinished, !hasBegun {
            try? await target.storage.close()
            folder?.clear()
        }
        if let refused, error is MigrationRefused || !isUnfinished { return refused }
        let words = (refused ?? CommandRefused.failure(error)).description.sentence
        let end = isUnfinished ? "The target is incomplete. Run the migration again." : "Nothing was copied."
        return CommandRefused("\(words) \(end)")
    }

    private func show(_ report: StoreMigration.Report, in target: StoreAddress) {
        let tables = CopiedTables(tables: report.parts.map { ($0.name, $0.rows, $0.sha256) })
        let tree = JSONTree.members([
            "tables": tables.json, "snapshots": .array(report.snapshots.map { .string($0) }),
            "identifiersFrom": .number(String(report.highWater)),
        ])
        Output.show(tree, asJSON: json) { _ in
            tables.lines("identical on both sides")
                + "\nAll data was copied. Source and target are identical." + hint(target)
        }
    }

    /// Advice to copy the certificates to a new folder. A server in a folder without them would issue new certificates
    /// under another root.
    private func hint(_ target: StoreAddress) -> String {
        guard case .folder(let directory) = target, !FileManager.default.fileExists(atPath: directory.rootKey) else {
            return ""
        }
        return
            "\nBefore you start a server on \(directory.path), copy the folders ca, keys and tls from the data "
            + "directory of the old server to it."
    }
}

extension MigrateCommand {
    /// A SQLite database in a folder, or a PostgreSQL database.
    enum StoreAddress {
        case folder(DataDirectory)
        case database(String)

        /// - Throws: `ValidationError`. Its message contains no password.
        init(_ argument: String, of flag: String) throws {
            if argument.hasPrefix("sqlite:"), argument != "sqlite:" {
                self = .folder(DataDirectory(String(argument.dropFirst("sqlite:".count)).absolutePath))
            } else if argument == "database" {
                guard let url = TillVariable.text("DATABASE") else {
                    throw ValidationError("\(flag) database means the URL in TILL_DATABASE, but it is not set.")
                }
                self = .database(url)
            } else if argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://") {
                self = .database(argument)
            } else {
                throw ValidationError("\(flag) must be sqlite:FOLDER, postgres://… or database.")
            }
        }

        /// An open store, and the lock of its folder.
        typealias Opened = (storage: any Storage, lock: DirectoryLock?)

        /// The folder of a SQLite database; nil for PostgreSQL.
        var directory: DataDirectory? {
            if case .folder(let directory) = self { directory } else { nil }
        }

        /// A name that identifies the store, without a password; nil for a URL that cannot be parsed.
        var name: String? {
            switch self {
            case .folder(let directory): directory.realPath
            case .database(let url): (try? DatabaseURL(url))?.description
            }
        }

        /// Opens the store. A folder is locked, so that no server can run on it.
        func open(isTarget: Bool) throws -> Opened {
            switch self {
            case .folder(let directory):
                guard isTarget || FileManager.default.fileExists(atPath: directory.database) else {
                    throw CommandRefused("\(directory.path) has no Till data. Give another: --from sqlite:FOLDER.")
                }
                let lock = try DirectoryLock(directory)
                guard isTarget else { return (try SQLiteStorage(examining: directory.database), lock) }
                try directory.prepareDatabase()
                return (try SQLiteStorage(path: directory.database), lock)
            case .database(let url):
                let url = try DatabaseURL(url)
                return (isTarget ? try PostgresStorage(url) : try PostgresStorage(examining: url), nil)
            }
        }
    }
}

/// Prints the progress to standard error, once a second and when a table is complete.
private final class ProgressLines: Sendable {
    private let last = Mutex(ContinuousClock.now)
    /// Whether any row was copied.
    let hasBegun = Synchronized(false)

    func show(_ progress: StoreProgress) {
        hasBegun.value = true
        let isDue = last.withLock { last in
            guard progress.isWhole || last.duration(to: .now) > .seconds(1) else { return false }
            last = .now
            return true
        }
        guard isDue else { return }
        let more = progress.isWhole ? "" : " so far"
        Terminal.say("\(progress.step.rawValue) \(progress.part): \(progress.rows) rows\(more)\n")
    }
}
