import Logging
import NIOCore
import ServiceLifecycle
import TillStorage

/// An HTTP CONNECT proxy that forwards the App Store's host names to Till's TLS port.
///
/// With this proxy, a client that supports `HTTPS_PROXY` needs no hosts file, no port 443 and no root rights. The proxy
/// refuses every other target, because it must not be an open proxy.
package struct ConnectProxy: Sendable {
    private let host: String
    private let port: Int
    private let limits: ConnectionLimits
    private let target: @Sendable () async throws -> SocketAddress
    private let listener: ByteListener

    /// The maximum length of a request head in bytes.
    private static let headBytes = 16 * 1_024
    /// The maximum number of tunnels at the same time.
    private static let maxTunnels = 1_000

    /// - Parameters:
    ///   - limits: the limits of a connection, of which the proxy uses the deadline of a request.
    ///   - target: returns the address of the TLS port. It is called for each tunnel.
    package init(
        host: String,
        port: Int,
        limits: ConnectionLimits = ConnectionLimits(),
        logger: Logger,
        to target: @escaping @Sendable () async throws -> SocketAddress
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.target = target
        listener = ByteListener(logger: logger, limit: Self.maxTunnels)
    }

    /// Serves connections until the task is cancelled.
    ///
    /// - Parameter running: receives the port once the proxy accepts connections.
    package func run(running: @Sendable (Int) async -> Void) async throws {
        let full = ConnectRequest.answer(503, "\(Self.maxTunnels) tunnels are open. Wait until one has ended.")
        try await listener.run(.address(host, port: port), turnedAway: full, running: running) {
            try await serve($0, $1, $2)
        }
    }

    private func serve(
        _ channel: any Channel,
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        var iterator = inbound.makeAsyncIterator()
        let timer = channel.eventLoop.scheduleTask(in: limits.requestDeadline) { channel.close(promise: nil) }
        var received = ByteBuffer()
        var request: ConnectRequest?
        while request == nil {
            guard let part = try await iterator.next() else { return timer.cancel() }
            received.writeImmutableBuffer(part)
            if let end = Self.endOfHead(received.readableBytesView), end <= Self.headBytes {
                request = ConnectRequest(head: received.readString(length: end) ?? "")
            } else if received.readableBytes > Self.headBytes {
                request = .refused(431, "The request head is longer than \(Self.headBytes) bytes.")
            }
        }
        timer.cancel()
        switch request {
        case .tunnel?:
            let far: ByteChannel
            do {
                far = try await Tunnel.connect(to: try await target())
            } catch {
                return try await refuse(
                    502,
                    "Till's TLS port does not answer: \(error.logText)",
                    channel,
                    &iterator,
                    outbound
                )
            }
            let greeting = ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")
            try await Tunnel.join(channel, &iterator, outbound, greeting: greeting, first: received, with: far)
        case .refused(let status, let sentence)?:
            try await refuse(status, sentence, channel, &iterator, outbound)
        case nil:
            return
        }
    }

    /// Answers and closes the connection. Input is read and discarded for a moment, because closing at once could
    /// destroy the answer.
    private func refuse(
        _ status: Int,
        _ sentence: String,
        _ channel: any Channel,
        _ inbound: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws {
        try await outbound.write(ByteBuffer(string: ConnectRequest.answer(status, sentence)))
        outbound.finish()
        Tunnel.close(channel, after: .seconds(2))
        while try await inbound.next() != nil {}
    }

    /// The length of a request head, including the empty line at its end; nil while the head is incomplete.
    private static func endOfHead(_ bytes: ByteBufferView) -> Int? {
        let end: [UInt8] = [13, 10, 13, 10]
        var index = bytes.startIndex
        while let found = bytes[index...].firstIndex(of: 13), found + 4 <= bytes.endIndex {
            if bytes[found..<(found + 4)].elementsEqual(end) { return found + 4 - bytes.startIndex }
            index = found + 1
        }
        return nil
    }
}
