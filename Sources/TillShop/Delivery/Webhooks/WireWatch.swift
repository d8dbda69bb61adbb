import Foundation
import NIOCore

/// Stands next to the socket and sees how the peer ends the connection.
final class WireWatch: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// True if, when the peer ended the connection in good order, it had acknowledged all that we had sent. False also
    /// when nobody knows.
    private(set) var hasPeerTakenAll = false
    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Closes the connection at once, without TLS's farewell, for which a peer that has failed us would let us wait.
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
            // On the loop the answer is there at once. A peer that had closed before our bytes came has answered them
            // with a reset, which leaves the state "closed", or has not acknowledged them.
            socket.getTCPInfo().assumeIsolated().whenSuccess { [self] info in
                let closeWait: UInt8 = 8
                hasPeerTakenAll = info.tcpi_state == closeWait && info.tcpi_unacked == 0
            }
        #endif
    }
}

/// Stands below the parser and counts the bytes of the answer.
final class AnswerWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// How many bytes have come since somebody set it to zero.
    var count = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        count += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
    }
}
