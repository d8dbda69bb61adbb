import NIOCore
import NIOPosix

/// A connection as a byte stream, with only a few buffers in memory at a time.
package typealias ByteChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

/// Connects two connections in both directions until both have ended.
enum Tunnel {
    /// How long one side may continue after the other has ended.
    static let linger: TimeAmount = .seconds(60)

    /// A channel with independently closed directions. The owner must execute it, or NIO ends the process.
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
    ///   - near: the client; the caller may have read its first bytes.
    ///   - greeting: the first bytes for the client.
    ///   - first: the already read bytes for the other side.
    static func join(
        _ near: any Channel,
        _ inbound: inout NIOAsyncChannelInboundStream<ByteBuffer>.AsyncIterator,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        greeting: ByteBuffer = ByteBuffer(),
        first: ByteBuffer = ByteBuffer(),
        with far: ByteChannel
    ) async throws {
        // The iterator stays in this task; the child task handles the other direction.
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

    /// Closes a channel that is still open after a delay.
    static func close(_ channel: any Channel, after time: TimeAmount) {
        let timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in timer.cancel() }
    }
}
