import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// A Till server that runs as a child process with its own data directory.
final class TillServer {
    let folder: String
    let sandbox: String
    let control: Control
    let program: Program
    /// The time from the start of the server to its first answer, in seconds.
    let startSeconds: Double

    init(
        _ bench: Workbench,
        on folder: String,
        database: String? = nil,
        place: Program.Core = .first,
        _ arguments: [String] = []
    ) async throws {
        let ready = bench.place("ready.json")
        let log = bench.place("log")
        let ports = ["--production-port", "0", "--sandbox-port", "0", "--control-port", "0"]
        let clock = ContinuousClock()
        let start = clock.now
        let program = try Program(
            [bench.till, "serve", "--data", folder, "--ready-file", ready] + ports + arguments,
            on: place,
            environment: database.map { ["TILL_DATABASE": $0] } ?? [:],
            log: log
        )
        let facts = try Program.facts(in: ready, of: program, log: log)
        guard let sandbox = facts["sandbox"] as? String, let control = facts["control"] as? String else {
            throw BenchRefused("the ready file lacks an address: \(facts)")
        }
        self.folder = folder
        self.program = program
        self.sandbox = sandbox
        self.control = Control(address: control)
        _ = try await self.control.get("/healthz")
        startSeconds = (clock.now - start) / .seconds(1)
    }

    func stop() { program.stop() }

    /// The body of the sandbox API's answer to a path.
    func body(of path: String, token: String) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: sandbox + path)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        let body = try await response.body.collect(upTo: 1 << 24)
        guard response.status == .ok else { throw BenchRefused("\(path) was answered with \(response.status)") }
        return Array(buffer: body)
    }
}
