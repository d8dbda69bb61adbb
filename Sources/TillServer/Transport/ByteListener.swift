import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import Synchronization
import TillStorage

/// Accepts connections as byte streams, and limits how many are open at the same time.
struct ByteListener: Sendable {
    let logger: Logger
    /// The maximum number of open connections. Further connections are rejected.
    let limit: Int

    /// Handles a connection. The connection is closed when the function returns.
    typealias Handler =
        @Sendable (
            any Channel, NIOAsyncChannelInboundStream<ByteBuffer>, NIOAsyncChannelOutboundWriter<ByteBuffer>
        ) async throws -> Void

    /// Where to accept connections: an address, or a bound socket.
    enum Place: Sendable {
        case address(String, port: Int)
        /// A socket that is already bound.
        case socket(CInt)
    }

    /// Accepts connections until the task is cancelled.
    ///
    /// - Parameters:
    ///   - running: receives the port once the listener accepts connections.
    ///   - turnedAway: the bytes sent to a rejected connection before it is closed.
    func run(
        _ place: Place,
        turnedAway: String? = nil,
        running: @Sendable (Int) async -> Void,
        handle: @escaping Handler
    ) async throws {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Nothing is read until the connection is a byte stream.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                client.eventLoop.makeCompletedFuture { try client.pipeline.syncOperations.addHandler(AcceptQueue()) }
            }
        let server =
            switch place {
            case .address(let host, let port):
                try await bootstrap.bind(host: host, port: port) { $0.eventLoop.makeSucceededFuture($0) }
            case .socket(let descriptor):
                try await bootstrap.bind(descriptor) { $0.eventLoop.makeSucceededFuture($0) }
            }
        await running(server.channel.localAddress?.port ?? 0)
        let open = Open()
        try await server.executeThenClose { clients in
            try await withThrowingDiscardingTaskGroup { group in
                for try await client in clients {
                    guard open.enter(limit) else {
                        if let turnedAway { client.writeAndFlush(ByteBuffer(string: turnedAway), promise: nil) }
                        client.close(promise: nil)
                        continue
                    }
                    group.addTask {
                        await take(client, handle)
                        open.leave()
                    }
                }
            }
        }
    }

    private func take(_ client: any Channel, _ handle: Handler) async {
        do {
            let bytes = try await client.eventLoop.submit {
                let bytes = try Tunnel.bytes(client)
                try client.pipeline.syncOperations.handler(type: AcceptQueue.self).open()
                try? client.syncOptions?.setOption(.autoRead, value: true)
                return bytes
            }.get()
            try await bytes.executeThenClose { try await handle(client, $0, $1) }
        } catch {
            client.close(promise: nil)
            logger.debug("A connection ended: \(error.logText)")
        }
    }

    /// The number of open connections.
    private final class Open: Sendable {
        private let count = Mutex(0)

        func enter(_ limit: Int) -> Bool {
            count.withLock { count in
                guard count < limit else { return false }
                count += 1
                return true
            }
        }

        func leave() { count.withLock { $0 -= 1 } }
    }
}

/// Keeps the events that arrive before the connection is a byte stream. Reading is off until then, but when the client
/// closes its side, NIO delivers this event and earlier bytes at once. Without the queue they would be lost.
private final class AcceptQueue: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var context: ChannelHandlerContext?
    private var isOpen = false
    private var kept: [ByteBuffer] = []
    private var hasEnded = false

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if isOpen { context.fireChannelRead(data) } else { kept.append(unwrapInboundIn(data)) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if !isOpen, case ChannelEvent.inputClosed? = event as? ChannelEvent {
            hasEnded = true
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// Delivers the kept events, because the connection is a byte stream now.
    func open() {
        isOpen = true
        guard let context else { return }
        for part in kept { context.fireChannelRead(wrapInboundOut(part)) }
        if !kept.isEmpty { context.fireChannelReadComplete() }
        kept = []
        if hasEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }
}

/// Forwards every connection to a socket on to another address.
package struct Relay: Sendable {
    private let place: ByteListener.Place
    private let target: SocketAddress
    private let listener: ByteListener

    /// - Parameters:
    ///   - socket: a bound socket, which may be in another network namespace.
    ///   - target: the address to forward to.
    package init(socket: CInt, to target: SocketAddress, logger: Logger) {
        place = .socket(socket)
        self.target = target
        listener = ByteListener(logger: logger, limit: 1_000)
    }

    /// Forwards connections until the task is cancelled.
    package func run() async throws {
        try await listener.run(place) { _ in
        } handle: { client, inbound, outbound in
            var iterator = inbound.makeAsyncIterator()
            try await Tunnel.join(client, &iterator, outbound, with: try await Tunnel.connect(to: target))
        }
    }
}
