import NIOCore
import NIOHTTP1
import NIOPosix

/// A small HTTP server on a free port of 127.0.0.1, which answers each request without a body.
struct NotificationListener: Sendable {
    private typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    /// The maximum length of a request body in bytes. A notification has about 30,000.
    private static let maxBytes = 4 << 20

    private let channel: NIOAsyncChannel<Connection, Never>
    /// The URL of the server.
    let url: String

    /// Opens the port.
    static func open() async throws -> NotificationListener {
        let channel = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .serverChannelOption(.backlog, value: 256)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
        let port = channel.channel.localAddress?.port ?? 0
        return NotificationListener(channel: channel, url: "http://127.0.0.1:\(port)/notifications")
    }

    /// Serves connections until the task is cancelled.
    ///
    /// - Parameter answer: the status of the answer to a body.
    func serve(_ answer: @escaping @Sendable ([UInt8]) async -> HTTPResponseStatus) async throws {
        try await channel.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    // A broken connection concerns no other; Till repeats its request.
                    group.addTask { try? await Self.serve(connection, answer) }
                }
            }
        }
    }

    private static func serve(
        _ connection: Connection,
        _ answer: @Sendable ([UInt8]) async -> HTTPResponseStatus
    ) async throws {
        try await connection.executeThenClose { requests, answers in
            var body: [UInt8] = []
            for try await part in requests {
                switch part {
                case .head: body = []
                case .body(let bytes):
                    body += bytes.readableBytesView
                    guard body.count <= maxBytes else { return }
                case .end:
                    let status = await answer(body)
                    let head = HTTPResponseHead(version: .http1_1, status: status, headers: ["Content-Length": "0"])
                    try await answers.write(.head(head))
                    try await answers.write(.end(nil))
                }
            }
        }
    }
}
