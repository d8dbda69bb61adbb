import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore

/// A Hummingbird server that answers every request with the same bytes from memory.
struct ServeBytes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answers every GET and POST with the bytes of a file.",
        shouldDisplay: false
    )

    @Argument var file: String
    @Argument var ready: String

    func run() async throws {
        let page = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: file)))
        let router = Router()
        router.get("/**") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: page))
        }
        router.post("/**") { request, _ in
            _ = try await request.body.collect(upTo: 1 << 20)
            return Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: page))
        }
        try await Self.serve(router, ready)
    }

    /// Serves until the process is stopped. Writes the server's address to a file.
    static func serve(_ router: Router<BasicRequestContext>, _ ready: String) async throws {
        var logger = Logger(label: "bench")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let text = #"{"address":"http://127.0.0.1:\#(channel.localAddress?.port ?? 0)"}"#
                try? text.write(toFile: ready, atomically: true, encoding: .utf8)
            },
            logger: logger
        )
        try await application.runService()
    }

    /// Starts the server, with the same allocator settings as Till.
    static func start(
        _ bench: Workbench,
        answering page: [UInt8],
        on place: Program.Core = .first
    ) throws -> (program: Program, address: String) {
        let file = bench.place("page")
        try Data(page).write(to: URL(filePath: file))
        return try start(bench, ["serve-bytes", file], on: place)
    }

    /// Starts a server of the benchmark as a child process.
    static func start(_ bench: Workbench, _ command: [String], on place: Program.Core) throws -> (
        program: Program, address: String
    ) {
        let ready = bench.place("ready.json")
        let allocator = [
            "MALLOC_ARENA_MAX": "2", "MALLOC_MMAP_THRESHOLD_": "1048576", "MALLOC_TRIM_THRESHOLD_": "4194304",
        ]
        let program = try Program([bench.this] + command + [ready], on: place, environment: allocator)
        let facts = try Program.facts(in: ready, of: program, log: nil)
        guard let address = facts["address"] as? String else { throw BenchRefused("a server without an address") }
        return (program, address)
    }
}
