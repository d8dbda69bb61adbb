import ArgumentParser
import Foundation
import Synchronization
import TillPostgres
import TillSQLite
import TillShop
import TillStorage

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Carries a shop from SQLite to PostgreSQL, or back, and checks that it is the same.",
        discussion: """
            till migrate --from sqlite:./till-data --to postgres://till@db.example.com/till
            TILL_DATABASE=postgres://… till migrate --from sqlite:./till-data --to database
            TILL_DATABASE=postgres://… till migrate --from database --to sqlite:./till-data

            Every server on both sides must be stopped. The source is only read; the target must be empty. The word
            database is the URL in TILL_DATABASE, which no list of processes shows. Certificates, keys and tokens stay
            in the data directory, and the journal of refused requests stays behind.
            """
    )

    @Option(help: "sqlite:FOLDER, postgres://… or database.")
    var from: String
    @Option(help: "The same, where it goes.")
    var to: String
    @Flag(help: "Prints what was carried as JSON.")
    var json = false

    func run() async throws {
        let (from, to) = (try Place(from, of: "--from"), try Place(to, of: "--to"))
        if let same = from.name, same == to.name {
            throw CommandRefused("--from and --to are the same place, \(same). Name another with --to.")
        }
        let folder = to.directory.map { TargetFolder($0) }
        let lines = ProgressLines()
        var target: Place.Opened?
        do {
            // What cannot be carried leaves nothing behind where it was to go.
            let source = try from.open(isTarget: false)
            try await StoreMigration.requireSource(source.storage)
            let opened = try to.open(isTarget: true)
            target = opened
            let report = try await StoreMigration(from: source.storage, to: opened.storage) { lines.show($0) }.run()
            // Everything is there, however the stores close.
            try? await source.storage.close()
            try? await opened.storage.close()
            withExtendedLifetime((source, opened)) {}
            show(report, in: to)
        } catch {
            throw await refusal(error, target, folder, hasBegun: lines.hasBegun)
        }
    }

    /// What is said of an error. That the target is not whole is said of one that bears the mark of an attempt alone:
    /// another may be somebody else's, and whole.
    private func refusal(
        _ error: any Error,
        _ target: Place.Opened?,
        _ folder: TargetFolder?,
        hasBegun: Bool
    ) async -> CommandRefused {
        let refused = Store.refusal(error)
        guard let target else {
            folder?.clear()
            return refused ?? Store.failure(error)
        }
        defer { withExtendedLifetime(target) {} }
        guard let isUnfinished = try? await target.storage.unfinished != nil else {
            let words = (refused ?? Store.failure(error)).description.sentence
            return CommandRefused("\(words) If it had begun, the target is refused until it is carried once more.")
        }
        if !isUnfinished, !hasBegun {
            try? await target.storage.close()
            folder?.clear()
        }
        if let refused, error is MigrationRefused || !isUnfinished { return refused }
        let words = (refused ?? Store.failure(error)).description.sentence
        let end = isUnfinished ? "The target is not whole; carry it once more." : "Nothing was carried."
        return CommandRefused("\(words) \(end)")
    }

    private func show(_ report: StoreMigration.Report, in target: Place) {
        let tables = report.parts.map { part in
            JSONTree.members([
                "table": .string(part.name), "rows": .number(String(part.sum.rows)),
                "sha256": .string(part.sum.sha256),
            ])
        }
        let tree = JSONTree.members([
            "tables": .array(tables), "snapshots": .array(report.snapshots.map { .string($0) }),
            "identifiersFrom": .number(String(report.highWater)),
        ])
        Output.show(tree, asJSON: json) { _ in
            let width = report.parts.map(\.name.count).max() ?? 0
            let lines = report.parts.map { part in
                part.name.padding(toLength: width, withPad: " ", startingAt: 0)
                    + "  \(part.sum.rows) rows, the same on both sides, SHA-256 \(part.sum.sha256.prefix(16))…"
            }
            return lines.joined(separator: "\n") + "\nEverything was carried, and both sides hold the same."
                + hint(target)
        }
    }

    /// A folder without certificates would get new ones at its start, under another root.
    private func hint(_ target: Place) -> String {
        guard case .folder(let directory) = target, !FileManager.default.fileExists(atPath: directory.rootKey) else {
            return ""
        }
        return
            "\nCopy the folders ca, keys and tls of the data directory with which it was served to \(directory.path) "
            + "before you start a server there."
    }
}

extension MigrateCommand {
    /// Where a shop lies.
    enum Place {
        case folder(DataDirectory)
        case database(String)

        /// - Throws: `ValidationError`, in which no password is.
        init(_ argument: String, of flag: String) throws {
            if argument.hasPrefix("sqlite:"), argument != "sqlite:" {
                let path = String(argument.dropFirst("sqlite:".count))
                self = .folder(DataDirectory(URL(fileURLWithPath: path).standardizedFileURL.path))
            } else if argument == "database" {
                guard let url = TillVariable.text("DATABASE") else {
                    throw ValidationError("\(flag) database is the URL in TILL_DATABASE, which is not set.")
                }
                self = .database(url)
            } else if argument.hasPrefix("postgres://") || argument.hasPrefix("postgresql://") {
                self = .database(argument)
            } else {
                throw ValidationError("\(flag) is sqlite:FOLDER, postgres://… or database.")
            }
        }

        /// A store, and the lock of its folder.
        typealias Opened = (storage: any Storage, lock: DirectoryLock?)

        /// The folder; nil for a database.
        var directory: DataDirectory? {
            if case .folder(let directory) = self { directory } else { nil }
        }

        /// What tells it from other places, without a password; nil for a URL that cannot be read.
        var name: String? {
            switch self {
            case .folder(let directory): directory.realPath
            case .database(let url): (try? DatabaseURL(url))?.description
            }
        }

        /// Opens it, a folder under its lock, so that no server is at work there.
        func open(isTarget: Bool) throws -> Opened {
            switch self {
            case .folder(let directory):
                guard isTarget || FileManager.default.fileExists(atPath: directory.database) else {
                    throw CommandRefused("\(directory.path) holds no shop. Name its folder: --from sqlite:FOLDER.")
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

/// How far it has come, on standard error: each part once it is whole, and once a second.
private final class ProgressLines: Sendable {
    private let last = Mutex(ContinuousClock.now)
    private let begun = Mutex(false)

    /// Whether anything was carried.
    var hasBegun: Bool { begun.withLock { $0 } }

    func show(_ progress: StoreMigration.Progress) {
        begun.withLock { $0 = true }
        let isDue = last.withLock { last in
            guard progress.isWhole || last.duration(to: .now) > .seconds(1) else { return false }
            last = .now
            return true
        }
        guard isDue else { return }
        let more = progress.isWhole ? "" : " so far"
        let line = "\(progress.step.rawValue) \(progress.part): \(progress.rows) rows\(more)\n"
        FileHandle.standardError.write(Data(line.utf8))
    }
}
