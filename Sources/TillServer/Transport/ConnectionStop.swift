import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes an HTTP/1 connection when the server stops: after the answer to the current request, or earlier if the client
/// does not read this answer. Without this, a client that keeps sending requests, or reads nothing, could prevent the
/// server from stopping.
final class ConnectionStop: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// How long a stopping server waits for a client that does not read.
    static let stallLimit: TimeAmount = .seconds(3)
    /// How long the connection stays half closed after the last answer. Closing it while requests arrive could destroy
    /// the answer.
    static let linger: TimeAmount = .seconds(1)

    private var isStopping = false
    /// Whether the last answer was written.
    private var isEnded = false
    private var timer: Scheduled<Void>?

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            isStopping = true
            watchStall(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if isStopping, !isEnded { watchStall(context) }
        context.fireChannelWritabilityChanged()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isEnded { context.fireChannelRead(data) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isEnded else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        guard isStopping, case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        isEnded = true
        close(in: Self.stallLimit, context)
        let written = promise ?? context.eventLoop.makePromise()
        let this = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in this.value.handler.lingerThenClose(this.value.context) }
        context.writeAndFlush(data, promise: written)
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    private func lingerThenClose(_ context: ChannelHandlerContext) {
        guard context.channel.isActive else { return }
        context.close(mode: .output, promise: nil)
        close(in: Self.linger, context)
    }

    private func watchStall(_ context: ChannelHandlerContext) {
        if context.channel.isWritable {
            timer?.cancel()
            timer = nil
        } else if timer == nil {
            close(in: Self.stallLimit, context)
        }
    }

    private func close(in time: TimeAmount, _ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { context.close(promise: nil) }
    }
}
