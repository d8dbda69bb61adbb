import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TillCore

/// A developer's server on a loopback socket: it records requests, and answers as a test specifies, including badly.
package final class WebhookReceiver: Sendable {
    /// A received request.
    package struct Received: Sendable {
        /// The number of the request at this receiver, counted from 1, in the order of arrival.
        package let number: Int
        /// The number of its connection, counted from 1.
        package let connection: Int
        /// The method, such as `POST`.
        package let method: String
        /// The path with its query.
        package let path: String
        /// The header fields in their order.
        package let headers: [(name: String, value: String)]
        /// The body's bytes.
        package let body: [UInt8]
        /// The real time at which the last byte arrived.
        package let arrived: Timestamp

        /// The value of the first field of that name, in any case.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// How the receiver answers.
    package enum Answer: Sendable {
        /// A status without a body, after a delay.
        case status(Int, after: Duration = .zero)
        /// A redirect to a location, which may be relative.
        case redirect(to: String, status: Int = 307)
        /// 200 with a text that declares this charset.
        case charset(String)
        /// A status with custom header fields and a body.
        case text(Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [])
        /// These bytes, and the connection stays open.
        case raw([UInt8])
        /// These bytes, and then the connection closes.
        case rawThenClose([UInt8])
        /// The connection closes without a byte.
        case close
        /// The connection closes in the middle of a body.
        case closeMidway
        /// A reset without a byte. Over TLS it is a close with `close_notify`.
        case reset
        /// Nothing, and the connection stays open.
        case hang
    }

    /// A certificate chain and its key, as PEM.
    package struct Identity: Sendable {
        /// The certificates, the server's own first.
        package let chainPEM: String
        /// The private key of the first certificate.
        package let keyPEM: String

        /// An identity from PEM texts.
        package init(chainPEM: String, keyPEM: String) {
            self.chainPEM = chainPEM
            self.keyPEM = keyPEM
        }
    }

    /// The options of a receiver.
    struct Rules: Sendable {
        let closesIdleAfter: Duration?
        let answering: @Sendable (Received) -> Answer
    }

    private struct State {
        var requests: [Received] = []
        var connections: [ObjectIdentifier: any Channel] = [:]
        var connectionCount = 0
    }

    /// The URL to post to: `http://127.0.0.1:port/notifications`, or `https://localhost:port/notifications`.
    package let url: String
    /// The port that it listens on.
    package let port: Int
    private let recorder: Recorder
    private let server: any Channel

    /// Counts connections and records requests; the handlers of the connections share it.
    final class Recorder: Sendable {
        private let state = Mutex(State())

        var requests: [Received] { state.withLock { $0.requests } }

        var connections: [any Channel] { state.withLock { Array($0.connections.values) } }

        /// Registers a connection and returns its number.
        func enter(_ channel: any Channel) -> Int {
            channel.closeFuture.whenComplete { [self] _ in
                state.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
            }
            return state.withLock { state in
                state.connections[ObjectIdentifier(channel)] = channel
                state.connectionCount += 1
                return state.connectionCount
            }
        }

        /// Records a request under the next number.
        func keep(_ make: (Int) -> Received) -> Received {
            state.withLock { state in
                let request = make(state.requests.count + 1)
                state.requests.append(request)
                return request
            }
        }
    }

    private init(url: String, port: Int, recorder: Recorder, server: any Channel) {
        self.url = url
        self.port = port
        self.recorder = recorder
        self.server = server
    }

    /// Opens a receiver.
    ///
    /// - Parameters:
    ///   - host: The address, which is one of this machine.
    ///   - port: The port; 0 takes a free one.
    ///   - identity: Its certificates, for TLS; nil for plain HTTP.
    ///   - isOldFashioned: True to speak TLS 1.1 at most.
    ///   - closesIdleAfter: How long a connection is idle after an answer before the receiver closes it unannounced;
    ///     nil keeps it open.
    ///   - answering: Returns the answer; called on the connection's event loop.
    package static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        identity: Identity? = nil,
        isOldFashioned: Bool = false,
        closesIdleAfter: Duration? = nil,
        answering: @escaping @Sendable (Received) -> Answer = { _ in .status(200) }
    ) async throws -> WebhookReceiver {
        let tls = try identity.map { try context(of: $0, isOldFashioned: isOldFashioned) }
        let recorder = Recorder()
        let rules = Rules(closesIdleAfter: closesIdleAfter, answering: answering)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)
                    try pipeline.addHandler(ByteToMessageHandler(decoder))
                    try pipeline.addHandler(WebhookReceiverConnection(recorder.enter(channel), recorder, rules))
                }
            }
            .bind(host: host, port: port).get()
        let bound = server.localAddress?.port ?? port
        let url = tls == nil ? "http://\(host):\(bound)" : "https://localhost:\(bound)"
        return WebhookReceiver(url: "\(url)/notifications", port: bound, recorder: recorder, server: server)
    }

    private static func context(of identity: Identity, isOldFashioned: Bool) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.chainPEM.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        if isOldFashioned {
            configuration.minimumTLSVersion = .tlsv1
            configuration.maximumTLSVersion = .tlsv11
        }
        return try NIOSSLContext(configuration: configuration)
    }

    /// The requests received so far, in the order of arrival.
    package var requests: [Received] { recorder.requests }

    /// Waits for this many requests, and returns all that have arrived; fewer after the timeout.
    package func requests(atLeast count: Int, within limit: Duration = .seconds(120)) async throws -> [Received] {
        let end = ContinuousClock.now + limit
        while recorder.requests.count < count, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        return recorder.requests
    }

    /// Stops listening and closes all connections.
    package func stop() async throws {
        try await server.close()
        for connection in recorder.connections { connection.close(promise: nil) }
    }
}
