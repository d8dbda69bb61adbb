import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TillCore

/// A developer's server on a loopback socket: it keeps what it receives, and answers as a test says, also badly.
package final class ListeningPost: Sendable {
    /// A request as it came.
    package struct Received: Sendable {
        /// The number of the request at this post, counted from 1, in the order of arrival.
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
        /// When the last byte had come, by the wall.
        package let arrived: Timestamp

        /// The value of the first field of that name, whatever its case.
        package func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }
    }

    /// What the post answers.
    package enum Answer: Sendable {
        /// A status without a body, after a while.
        case status(Int, after: Duration = .zero)
        /// A redirect to a place, which may be relative.
        case redirect(to: String, status: Int = 307)
        /// 200 with a text that declares this charset.
        case charset(String)
        /// A status with header fields of one's own and a body.
        case text(Int, headers: [(name: String, value: String)] = [], body: [UInt8] = [])
        /// These bytes, and the connection stays open.
        case raw([UInt8])
        /// These bytes and then the end.
        case rawThenClose([UInt8])
        /// The end without a byte.
        case close
        /// The end in the middle of a body.
        case closeMidway
        /// A reset without a byte. Over TLS it is an end with a farewell.
        case reset
        /// Nothing, and the connection stays open.
        case hang
    }

    /// A certificate chain and its key, as PEM.
    package struct Identity: Sendable {
        /// The certificates, the receiver's own first.
        package let chainPEM: String
        /// The private key of the first.
        package let keyPEM: String

        /// An identity of PEM texts.
        package init(chainPEM: String, keyPEM: String) {
            self.chainPEM = chainPEM
            self.keyPEM = keyPEM
        }
    }

    /// What a post is told at its start.
    struct Rules: Sendable {
        let closesIdleAfter: Duration?
        let answering: @Sendable (Received) -> Answer
    }

    private struct Book {
        var requests: [Received] = []
        var connections: [ObjectIdentifier: any Channel] = [:]
        var connectionCount = 0
    }

    /// The URL to post to: `http://127.0.0.1:port/notifications`, or `https://localhost:port/notifications`.
    package let url: String
    /// The port that it listens on.
    package let port: Int
    private let book: BookKeeper
    private let server: any Channel

    /// Counts connections and keeps requests; the handlers of the connections share it.
    final class BookKeeper: Sendable {
        private let book = Mutex(Book())

        var requests: [Received] { book.withLock { $0.requests } }

        var connections: [any Channel] { book.withLock { Array($0.connections.values) } }

        /// Enters a connection and returns its number.
        func enter(_ channel: any Channel) -> Int {
            channel.closeFuture.whenComplete { [self] _ in
                book.withLock { $0.connections[ObjectIdentifier(channel)] = nil }
            }
            return book.withLock { book in
                book.connections[ObjectIdentifier(channel)] = channel
                book.connectionCount += 1
                return book.connectionCount
            }
        }

        /// Keeps a request under the next number.
        func keep(_ make: (Int) -> Received) -> Received {
            book.withLock { book in
                let request = make(book.requests.count + 1)
                book.requests.append(request)
                return request
            }
        }
    }

    private init(url: String, port: Int, book: BookKeeper, server: any Channel) {
        self.url = url
        self.port = port
        self.book = book
        self.server = server
    }

    /// Opens a post.
    ///
    /// - Parameters:
    ///   - host: The address, which is one of this machine.
    ///   - port: The port; 0 takes a free one.
    ///   - identity: Its certificates, for TLS; nil for plain HTTP.
    ///   - isOldFashioned: True to speak TLS 1.1 at most.
    ///   - closesIdleAfter: How long a connection may lie idle after an answer before the post ends it unannounced; nil
    ///     keeps it.
    ///   - answering: Says what to answer; it is called on the connection's event loop.
    package static func start(
        host: String = "127.0.0.1",
        port: Int = 0,
        identity: Identity? = nil,
        isOldFashioned: Bool = false,
        closesIdleAfter: Duration? = nil,
        answering: @escaping @Sendable (Received) -> Answer = { _ in .status(200) }
    ) async throws -> ListeningPost {
        let tls = try identity.map { try context(of: $0, isOldFashioned: isOldFashioned) }
        let book = BookKeeper()
        let rules = Rules(closesIdleAfter: closesIdleAfter, answering: answering)
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
                    let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)
                    try pipeline.addHandler(ByteToMessageHandler(decoder))
                    try pipeline.addHandler(ListeningPostConnection(book.enter(channel), book, rules))
                }
            }
            .bind(host: host, port: port).get()
        let bound = server.localAddress?.port ?? port
        let url = tls == nil ? "http://\(host):\(bound)" : "https://localhost:\(bound)"
        return ListeningPost(url: "\(url)/notifications", port: bound, book: book, server: server)
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

    /// What has come so far, in the order of arrival.
    package var requests: [Received] { book.requests }

    /// Waits until so many requests have come, and returns all that have; fewer if the time is over first.
    package func requests(atLeast count: Int, within limit: Duration = .seconds(120)) async throws -> [Received] {
        let end = ContinuousClock.now + limit
        while book.requests.count < count, ContinuousClock.now < end { try await Task.sleep(for: .milliseconds(5)) }
        return book.requests
    }

    /// Stops listening and ends all connections.
    package func stop() async throws {
        try await server.close()
        for connection in book.connections { connection.close(promise: nil) }
    }
}
