import ArgumentParser
import AsyncHTTPClient
import Foundation
import Hummingbird
import NIOCore
import NIOHTTP1
import Synchronization

/// A developer's server that accepts every notification as soon as its gate is open.
struct Receive: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Receives posts, counts them and keeps the last.",
        shouldDisplay: false
    )

    @Argument var ready: String

    private struct State {
        var isOpen = false
        var count = 0
        var first: ContinuousClock.Instant?
        var last: ContinuousClock.Instant?
        var body = ByteBuffer()
    }

    func run() async throws {
        let clock = ContinuousClock()
        let router = Router()
        let held = Held()
        router.post("/apple") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            while !held.isOpen { try await Task.sleep(for: .milliseconds(2)) }
            held.take(body, at: clock.now)
            return Response(status: .ok)
        }
        router.post("/open") { _, _ in
            held.open(true)
            return Response(status: .ok)
        }
        router.post("/close") { _, _ in
            held.open(false)
            return Response(status: .ok)
        }
        router.get("/count") { _, _ in held.text }
        router.get("/body") { _, _ in Response(status: .ok, body: .init(byteBuffer: held.body)) }
        try await ServeBytes.serve(router, ready)
    }

    /// The state that concurrent requests share.
    private final class Held: Sendable {
        private let state = Mutex(State())

        var isOpen: Bool { state.withLock(\.isOpen) }
        var body: ByteBuffer { state.withLock(\.body) }

        func open(_ isOpen: Bool) {
            state.withLock { state in
                state.isOpen = isOpen
                state.count = 0
                state.first = nil
                state.last = nil
            }
        }

        func take(_ body: ByteBuffer, at now: ContinuousClock.Instant) {
            state.withLock { state in
                state.first = state.first ?? now
                state.last = now
                state.count += 1
                state.body = body
            }
        }

        /// The number of posts, and the seconds between the first and the last post.
        var text: String {
            state.withLock { state in
                guard let first = state.first, let last = state.last else { return "0 0" }
                return "\(state.count) \((last - first) / .seconds(1))"
            }
        }
    }
}

/// The receiver, running as a child process.
struct Receiver {
    let program: Program
    let address: String

    init(_ bench: Workbench) throws {
        (program, address) = try ServeBytes.start(bench, ["receive"], on: .second)
    }

    var url: String { address + "/apple" }

    func open() async throws { _ = try await ask("/open", .POST) }

    func close() async throws { _ = try await ask("/close", .POST) }

    /// The body of the last post.
    func body() async throws -> [UInt8] { Array(buffer: try await ask("/body", .GET)) }

    /// Waits until this number of posts has arrived, and returns the posts per second.
    func rate(of count: Int) async throws -> Double {
        for _ in 0..<60_000 {
            let words = String(buffer: try await ask("/count", .GET)).split(separator: " ").compactMap { Double($0) }
            if words.count == 2, Int(words[0]) >= count { return (words[0] - 1) / words[1] }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw BenchRefused("\(count) notifications did not arrive within twenty minutes")
    }

    private func ask(_ path: String, _ method: HTTPMethod) async throws -> ByteBuffer {
        var request = HTTPClientRequest(url: address + path)
        request.method = method
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        return try await response.body.collect(upTo: 1 << 20)
    }
}
