import Foundation
import NIOCore

/// The handler next to the socket, which sees how the peer closes the connection.
final class WireWatch: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Whether the peer closed the connection in an orderly way after it had acknowledged all sent bytes. False if this
    /// is unknown.
    private(set) var hasPeerTakenAll = false
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Closes the connection at once. It sends no TLS close_notify, because a failed peer would not answer.
    func cut() { context?.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let event = event as? ChannelEvent, event == .inputClosed else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        look(context)
        context.close(promise: nil)
    }

    private func look(_ context: ChannelHandlerContext) {
        #if os(Linux)
        guard let socket = context.channel as? any SocketOptionProvider else { return }
        // On the event loop, the result is available at once. If the peer closed before the sent bytes arrived, it
        // resets the connection, which changes the state to "closed", or does not acknowledge the bytes.
        socket.getTCPInfo().assumeIsolated().whenSuccess { [self] info in
            let closeWait: UInt8 = 8
            hasPeerTakenAll = info.tcpi_state == closeWait && info.tcpi_unacked == 0
        }
        #endif
    }
}

/// The handler between TLS and the HTTP parser, which counts the bytes of the answer.
final class AnswerWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The number of bytes that have arrived since the count was last set to zero.
    var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }
}
