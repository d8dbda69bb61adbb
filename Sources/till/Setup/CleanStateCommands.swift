import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import TillShop

struct ResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset",
        abstract: "Erases all that happened: customers, purchases, notifications, clocks, faults.",
        discussion: """
            till reset                                  of all apps; apps, keys, catalogues and rules stay
            till reset --app com.example                of one app
            till reset --app com.example --everything   the app itself goes, too
            till reset --everything                     an empty Till

            What is under way ends first. Identifiers are never used again.
            """
    )

    @Option(help: "Only of this app.")
    var app: String?
    @Flag(help: "Also what was set up: apps, keys, catalogues, rules.")
    var everything = false
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let outcome = try await server.client().post(
            "/v1/reset",
            .members(["bundleId": .text(app), "everything": .bool(everything)]),
            timeout: longestWait
        )
        Output.show(outcome, asJSON: server.json) { _ in
            app.map { everything ? "\($0) is gone." : "All that happened in \($0) is erased." }
                ?? (everything ? "The shop is empty." : "All that happened is erased.")
        }
    }
}

struct SnapshotCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Saves the state of the shop, or of an app, and puts it back.",
        discussion: """
            till snapshot save fresh                    the whole shop
            till snapshot save fresh --app com.example  one app
            till snapshot list
            till snapshot restore fresh                 exactly as it was saved
            till snapshot remove fresh
            """,
        subcommands: [Save.self, List.self, Restore.self, Remove.self]
    )

    struct Save: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Saves the present state under a name, over what was saved under it before.",
            discussion: "till snapshot save fresh --app com.example"
        )

        @Argument(help: "Letters, digits, dots, dashes and underscores.")
        var name: String
        @Option(help: "Only this app.")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let body = JSONTree.members(["bundleId": .text(app)]).written()
            let saved = try await server.client().put(
                "/v1/snapshots/\(escaped(name))",
                bytes: body,
                timeout: longestWait
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
            abstract: "Shows what was saved.",
            discussion: "till snapshot list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            let all = try await server.client().get("/v1/snapshots")
            Output.show(all, asJSON: server.json) { tree in
                let lines = (tree["snapshots"]?.elements ?? []).map(Save.words)
                return lines.isEmpty ? "Nothing was saved." : lines.joined(separator: "\n")
            }
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts back what was saved, exactly as it was.",
            discussion: "till snapshot restore fresh"
        )

        @Argument(help: "The name under which it was saved.")
        var name: String
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let path = "/v1/snapshots/\(escaped(name))/restore"
            let restored = try await server.client().post(path, timeout: longestWait)
            Output.show(restored, asJSON: server.json) { "Restored \(Save.words($0))." }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forgets what was saved under a name.",
            discussion: "till snapshot remove fresh"
        )

        @Argument(help: "The name under which it was saved.")
        var name: String
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.client().delete("/v1/snapshots/\(escaped(name))")
            Output.show(.object([]), asJSON: server.json) { _ in "Forgot \(name)." }
        }
    }
}

struct ExportStateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export-state",
        abstract: "Writes the state of the shop, or of an app, into a file that can be kept and carried elsewhere.",
        discussion: """
            till export-state shop.till                     the whole shop
            till export-state app.till --app com.example    one app, with its team and keys
            till export-state - | gzip > shop.till.gz       - is standard output

            The same state is the same file, byte for byte. It holds shared secrets of receipts, but no private key.
            """
    )

    @Argument(help: "The file; - is standard output.")
    var file: String
    @Option(help: "Only this app.")
    var app: String?
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let client = try server.client()
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
        abstract: "Puts the state in a file in place of what there is of it, whole or not at all.",
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
        let outcome = try await client.upload("/v1/state", from: source)
        Output.show(outcome, asJSON: server.json) { tree in
            let counts = ["customers", "transactions", "notifications"].map { "\(tree[$0]?.text ?? "0") \($0)" }
            return "Took in \(tree["bundleId"]?.text ?? "all apps"): \(counts.joined(separator: ", "))."
        }
    }
}

/// A reset or a restore waits until what is under way has ended.
private let longestWait = TimeAmount.minutes(10)

/// Where an export goes: a file that appears under its name only once it is whole, or standard output.
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
