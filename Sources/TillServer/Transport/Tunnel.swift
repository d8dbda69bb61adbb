import NIOCore
import NIOPosix

/// A connection as a byte stream, of which only a few buffers are in memory at a time.
package typealias ByteChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

/// Joins two connections, so that each receives what the other sends.
enum Tunnel {
    /// How long one side may continue to send after the other side has ended.
    static let linger: TimeAmount = .seconds(60)

    /// Makes a byte stream of a channel. Each direction can be closed separately. The caller must execute the stream,
    /// because NIO ends the process otherwise.
    static func bytes(_ channel: any Channel) throws -> ByteChannel {
        try ByteChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(isOutboundHalfClosureEnabled: true)
        )
    }

    /// Connects to an address of this machine.
    static func connect(to address: SocketAddress) async throws -> ByteChannel {
        try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(10))
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .connect(to: address) { channel in channel.eventLoop.makeCompletedFuture { try bytes(channel) } }
    }

    /// Forwards bytes in both directions until both sides have ended.
    ///
    /// - Parameters:
    ///   - near: the connection of the client, of which the caller may already have read the first bytes.
    ///   - greeting: bytes that are sent to the client first.
    ///   - first: bytes that the caller already read from the client, for the other side.
    static func join(
        _ near: any Channel,
        _ inbound: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        greeting: ByteBuffer = ByteBuffer(),
        first: ByteBuffer = ByteBuffer(),
        with far: ByteChannel
    ) async throws {
        // This task owns the iterator of the client's bytes, so a child task handles the other direction.
        try await far.executeThenClose { farInbound, farOutbound in
            if greeting.readableBytes > 0 { try await outbound.write(greeting) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    do {
                        for try await part in farInbound { try await outbound.write(part) }
                        outbound.finish()
                        close(near, after: linger)
                    } catch {
                        near.close(promise: nil)
                    }
                }
                if first.readableBytes > 0 { try await farOutbound.write(first) }
                while let part = try await inbound.next() { try await farOutbound.write(part) }
                farOutbound.finish()
                close(far.channel, after: linger)
                try await group.waitForAll()
            }
        }
    }

    /// Closes a channel after a delay, if it is still open then.
    static func close(_ channel: any Channel, after time: TimeAmount) {
        let timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }
}
