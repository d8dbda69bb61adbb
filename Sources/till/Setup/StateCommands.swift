import ArgumentParser
import AsyncHTTPClient
import Foundation
import Synchronization
import TillControl
import TillJSON
import TillShop

struct StateCommand: DocumentedCommand {
    static let summary = "Exports the state of all apps, or of one app, to a file, and imports it."
    static var subcommands: Subcommands { [Export.self, Import.self] }

    struct Export: DocumentedCommand {
        static let summary = "Exports the state of all apps, or of one app, to a file."
        static let examples = """
            till state export shop.till
            # one app, with its team and keys
            till state export app.till --app com.example
            # - is standard output
            till state export - | gzip > shop.till.gz
            """
        static let notes =
            "Equal states produce identical files. The file contains shared secrets, but no private keys."

        @Argument(help: "The file; - is standard output.", completion: .file())
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
            var progress = ProgressLine()
            defer { progress.end() }
            do {
                for try await chunk in chunks {
                    try target.write(Data(chunk))
                    last = chunk.last ?? last
                    progress.show("exported: \(target.bytes >> 20) MB")
                }
            } catch let error as HTTPClientError {
                throw CommandRefused("The server's answer was interrupted (\(error.shortDescription)). Try again.")
            }
            guard last == lineBreak else { throw CommandRefused("The server's answer is incomplete. Try again.") }
        }
    }

    struct Import: DocumentedCommand {
        static let summary = "Replaces the current state with an exported state, completely or not at all."
        static let examples = """
            till state import shop.till --yes
            # - is standard input
            gunzip < shop.till.gz | till state import - --yes
            """

        @Argument(help: "The file; - is standard input.", completion: .file())
        var file: String
        @OptionGroup var replacing: ReplacingOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
            guard let source = file == "-" ? .standardInput : FileHandle(forReadingAtPath: file) else {
                throw CommandRefused("\(file) cannot be read.")
            }
            try await replacing.confirmation.confirm { "Replace the current state with \(file)" }
            let sent = Mutex((bytes: 0, progress: ProgressLine()))
            let chunks = AsyncStream<[UInt8]>(unfolding: {
                guard let data = try? source.read(upToCount: 256 << 10), !data.isEmpty else { return nil }
                sent.withLock { sent in
                    sent.bytes += data.count
                    sent.progress.show("sent: \(sent.bytes >> 20) MB")
                }
                return Array(data)
            })
            defer { sent.withLock { $0.progress.end() } }
            let request = ImportState(confirm: replacing.confirm)
            try server.show(try await client.upload(request, chunks: chunks)) { imported in
                "Imported \(imported.bundleId ?? "all apps"): \(imported.customers) customers, "
                    + "\(imported.transactions) transactions, \(imported.notifications) notifications."
            }
        }
    }
}

/// Where an export is written: standard output, or a file that gets its final name only when it is complete.
private final class StateSink {
    private let file: String
    private let part: String
    private let handle: FileHandle
    private(set) var bytes = 0

    init(_ file: String) throws {
        self.file = file
        part = "\(file).part"
        if file != "-" { try DataDirectory.write("", to: part) }
        guard let handle = file == "-" ? .standardOutput : FileHandle(forWritingAtPath: part) else {
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
