import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TillCore

/// A developer's server on a loopback socket. It records requests and answers as the test specifies, also incorrectly.
package final class WebhookReceiver: Sendable {
    /// A received request.
    package struct Received: Sendable {
        /// The number of the request at this receiver, in the order of arrival; the first request is 1.
        package let number: Int
        /// The number of the connection at this receiver; the first connection is 1.
        package let connection: Int
        /// The method, such as `POST`.
        package let method: String
        /// The path with its query.
        package let path: String
        /// The header fields, in the order in which they were sent.
        package let headers: [(name: String, value: String)]
        /// The body's bytes.
        package let body: [UInt8]
        /// The real time at which the last byte arrived.
        package let arrived: Timestamp

        /// The value of the first header field with that name; upper and lower case are equivalent.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// An answer of the receiver.
    package enum Answer: Sendable {
        /// A status without a body, after a delay.
        case status(Int, after: Duration = .zero)
        /// A redirect to a location, which may be relative.
        case redirect(to: String, status: Int = 307)
        /// Status 200 with a text body whose `Content-Type` declares this charset.
        case charset(String)
        /// A status with custom header fields and a body.
        case text(Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [])
        /// Sends these bytes, and keeps the connection open.
        case raw([UInt8])
        /// Sends these bytes, and then closes the connection.
        case rawThenClose([UInt8])
        /// Closes the connection without sending a byte.
        case close
        /// Closes the connection in the middle of a body.
        case closeMidway
        /// Resets the connection without sending a byte. Over TLS, it closes the connection with `close_notify`
        /// instead.
        case reset
        /// Sends nothing, and keeps the connection open.
        case hang
    }

    /// A certificate chain and its key, as PEM.
    package struct Identity: Sendable {
        /// The certificate chain; the server's own certificate is the first.
        package let chainPEM: String
        /// The private key of the first certificate.
        package let keyPEM: String

        /// Creates an identity from PEM texts.
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
    /// The port on which the receiver listens.
    package let port: Int
    private let recorder: Recorder
    private let server: any Channel

    /// Counts connections and records requests. The handlers of all connections share one recorder.
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
    ///   - host: An address of this machine, on which the receiver listens.
    ///   - port: The port; 0 picks a free one.
    ///   - identity: The certificates for TLS; nil for plain HTTP.
    ///   - isOldFashioned: True to support no TLS version after 1.1.
    ///   - closesIdleAfter: The time after an answer at which the receiver closes an idle connection without notice;
    ///     nil keeps the connection open.
    ///   - answering: Returns the answer to a request; called on the connection's event loop.
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

    /// The requests received so far, oldest first.
    package var requests: [Received] { recorder.requests }

    /// Waits until this many requests have arrived, and returns all requests; fewer if the timeout ends first.
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
