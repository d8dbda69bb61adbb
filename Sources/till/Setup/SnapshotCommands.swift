import ArgumentParser
import AsyncHTTPClient
import Foundation
import TillControl
import TillJSON
import TillShop

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Erases all activity: customers, purchases, notifications, clocks and fault rules.",
        discussion: """
            till reset                                  keeps apps, keys, catalogs and settings
            till reset --app com.example                only for one app
            till reset --app com.example --everything   also deletes the app itself
            till reset --everything                     also deletes all apps

            Waits for running operations to end. Identifiers are never reused.
            """
    )

    @Option(help: "The app (default: all apps).")
    var app: String?
    @Flag(help: "Also deletes apps, keys, catalogs and settings.")
    var everything = false
    @OptionGroup var server: ServerOptions

    func run() async throws {
        try await server.show(answerTo: Reset(bundleId: app, everything: everything), timeout: maxWait) { _ in
            app.map { everything ? "Deleted \($0)." : "Erased all activity of \($0)." }
                ?? (everything ? "Deleted everything." : "Erased all activity.")
        }
    }
}

struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Saves and restores the state of all apps, or of one app.",
        discussion: """
            till snapshot save fresh                    all apps
            till snapshot save fresh --app com.example  one app
            till snapshot list
            till snapshot restore fresh                 exactly as it was saved
            till snapshot remove fresh
            """,
        subcommands: [Save.self, List.self, Restore.self, Remove.self]
    )

    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Saves the current state under a name, and replaces an existing snapshot of that name.",
            discussion: "till snapshot save fresh --app com.example"
        )

        @Argument(help: "The name: letters, digits, dots, dashes and underscores.")
        var name: String
        @Option(help: "The app (default: all apps).")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: SaveSnapshot(name: name, bundleId: app), timeout: maxWait) {
                "Saved \(Self.words($0))."
            }
        }

        /// `fresh: com.example, 3 customers, 5 transactions, 5 notifications`.
        static func words(_ snapshot: SnapshotInfo) -> String {
            "\(snapshot.name): \(snapshot.bundleId ?? "all apps"), \(snapshot.customers) customers, "
                + "\(snapshot.transactions) transactions, \(snapshot.notifications) notifications"
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the snapshots.",
            discussion: "till snapshot list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: ListSnapshots()) { snapshots in
                let lines = snapshots.map(Save.words)
                return lines.isEmpty ? "No snapshots." : lines.joined(separator: "\n")
            }
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Restores a snapshot exactly as it was saved.",
            discussion: "till snapshot restore fresh"
        )

        @Argument(help: "The name of the snapshot.")
        var name: String
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: RestoreSnapshot(name: name), timeout: maxWait) {
                "Restored \(Save.words($0))."
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Deletes a snapshot.",
            discussion: "till snapshot remove fresh"
        )

        @Argument(help: "The name of the snapshot.")
        var name: String
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: RemoveSnapshot(name: name)) { _ in "Deleted \(name)." }
        }
    }
}

struct ExportStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-state",
        abstract: "Exports the state of all apps, or of one app, to a file.",
        discussion: """
            till export-state shop.till                     all apps
            till export-state app.till --app com.example    one app, with its team and keys
            till export-state - | gzip > shop.till.gz       - is standard output

            Equal states produce identical files. The file contains shared secrets, but no private keys.
            """
    )

    @Argument(help: "The file; - is standard output.")
    var file: String
    @Option(help: "The app (default: all apps).")
    var app: String?
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let chunks = try await server.client().download(ExportState(bundleId: app))
        let target = try StateSink(file)
        do {
            try await Self.copy(chunks, to: target)
            try target.finish()
        } catch {
            target.abandon()
            throw error
        }
        if file != "-" {
            let outcome = JSONTree.members(["file": .string(file), "bytes": .count(target.bytes)])
            Output.show(outcome, asJSON: server.json) { _ in "Wrote \(file), \(target.bytes) bytes." }
        }
    }

    private static func copy(_ chunks: ControlChunks, to target: StateSink) async throws {
        let lineBreak = UInt8(ascii: "\n")
        var last = lineBreak
        do {
            for try await chunk in chunks {
                try target.write(Data(chunk))
                last = chunk.last ?? last
            }
        } catch let error as HTTPClientError {
            throw CommandRefused("The server's answer was interrupted (\(error.shortDescription)). Try again.")
        }
        guard last == lineBreak else { throw CommandRefused("The server's answer is incomplete. Try again.") }
    }
}

struct ImportStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-state",
        abstract: "Replaces the current state with an exported state, completely or not at all.",
        discussion: """
            till import-state shop.till
            gunzip < shop.till.gz | till import-state -     - is standard input
            """
    )

    @Argument(help: "The file; - is standard input.")
    var file: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let client = try server.client()
        let source: FileHandle
        if file == "-" {
            source = .standardInput
        } else {
            guard let handle = FileHandle(forReadingAtPath: file) else {
                throw CommandRefused("\(file) cannot be read.")
            }
            source = handle
        }
        let chunks = AsyncStream<[UInt8]>(unfolding: {
            guard let data = try? source.read(upToCount: 256 << 10), !data.isEmpty else { return nil }
            return Array(data)
        })
        try server.show(try await client.upload(ImportState(), chunks: chunks)) { imported in
            "Imported \(imported.bundleId ?? "all apps"): \(imported.customers) customers, "
                + "\(imported.transactions) transactions, \(imported.notifications) notifications."
        }
    }
}

/// The maximum time of a request, because a reset or a restore waits until running operations have ended.
private let maxWait = Duration.seconds(600)

/// Where an export is written: standard output, or a file that gets its final name only when it is complete.
private final class StateSink {
    private let file: String
    private let part: String
    private let handle: FileHandle
    private(set) var bytes = 0

    init(_ file: String) throws {
        self.file = file
        part = "\(file).part"
        if file == "-" {
            handle = .standardOutput
            return
        }
        try DataDirectory.write("", to: part)
        guard let handle = FileHandle(forWritingAtPath: part) else {
            throw CommandRefused("\(part) cannot be written.")
        }
        self.handle = handle
    }

    func write(_ chunk: Data) throws {
        bytes += chunk.count
        try handle.write(contentsOf: chunk)
    }

    func finish() throws {
        guard file != "-" else { return }
        try handle.synchronize()
        try handle.close()
        guard rename(part, file) == 0 else { throw CommandRefused("\(file) cannot be written.") }
    }

    func abandon() {
        if file != "-" { try? FileManager.default.removeItem(atPath: part) }
    }
}
