import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
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
        let outcome = try await server.rawClient().post(
            "/v1/reset",
            .members(["bundleId": .text(app), "everything": .bool(everything)]),
            timeout: maxWait
        )
        Output.show(outcome, asJSON: server.json) { _ in
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
            let body = JSONTree.members(["bundleId": .text(app)]).written()
            let saved = try await server.rawClient().put(
                "/v1/snapshots/\(escaped(name))",
                bytes: body,
                timeout: maxWait
            )
            Output.show(saved, asJSON: server.json) { "Saved \(Self.words($0))." }
        }

        /// `fresh: com.example, 3 customers, 5 transactions, 5 notifications`.
        static func words(_ snapshot: JSONTree) -> String {
            let counts = ["customers", "transactions", "notifications"].map { "\(snapshot[$0]?.text ?? "0") \($0)" }
            let app = snapshot["bundleId"]?.text ?? "all apps"
            return "\(snapshot["name"]?.text ?? ""): \(app), \(counts.joined(separator: ", "))"
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the snapshots.",
            discussion: "till snapshot list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            let all = try await server.rawClient().get("/v1/snapshots")
            Output.show(all, asJSON: server.json) { tree in
                let lines = (tree["snapshots"]?.elements ?? []).map(Save.words)
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
            let path = "/v1/snapshots/\(escaped(name))/restore"
            let restored = try await server.rawClient().post(path, timeout: maxWait)
            Output.show(restored, asJSON: server.json) { "Restored \(Save.words($0))." }
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
            try await server.rawClient().delete("/v1/snapshots/\(escaped(name))")
            Output.show(.object([]), asJSON: server.json) { _ in "Deleted \(name)." }
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
        let client = try server.rawClient()
        let path = "/v1/state" + (app.map { "?bundleId=\(escaped($0))" } ?? "")
        let target = try StateSink(file)
        do {
            try await client.download(path) { try target.write($0) }
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
        let client = try server.rawClient()
        let source: FileHandle
        if file == "-" {
            source = .standardInput
        } else {
            guard let handle = FileHandle(forReadingAtPath: file) else {
                throw CommandRefused("\(file) cannot be read.")
            }
            source = handle
        }
        let outcome = try await client.upload("/v1/state", from: source)
        Output.show(outcome, asJSON: server.json) { tree in
            let counts = ["customers", "transactions", "notifications"].map { "\(tree[$0]?.text ?? "0") \($0)" }
            return "Imported \(tree["bundleId"]?.text ?? "all apps"): \(counts.joined(separator: ", "))."
        }
    }
}

/// The maximum time of a request, because a reset or a restore waits until running operations have ended.
private let maxWait = TimeAmount.minutes(10)

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
