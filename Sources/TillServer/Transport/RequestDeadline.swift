import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive completely in time, for example because its headers never end. A
/// body of any length only has to make progress in time.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    private let uploads: Set<String>
    private var isUpload = false
    /// When the current request must be complete; nil while no request is expected.
    private var deadline: NIODeadline?
    /// The scheduled check of the deadline. One check serves several requests, because a timer for each would be
    /// costly.
    private var look: Scheduled<Void>?

    /// - Parameter uploads: the paths whose request bodies may have any length.
    init(_ limit: TimeAmount, uploads: Set<String> = []) {
        self.limit = limit
        self.uploads = uploads
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { start(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        leave()
    }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): isUpload = head.path.map(uploads.contains) ?? false
        case .body: if isUpload { start(context) }
        case .end: deadline = nil
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) { start(context) }
        context.write(data, promise: promise)
    }

    private func start(_ context: ChannelHandlerContext) {
        let deadline = NIODeadline.now() + limit
        self.deadline = deadline
        if look == nil { planLook(at: deadline, context) }
    }

    private func planLook(at instant: NIODeadline, _ context: ChannelHandlerContext) {
        look = context.eventLoop.assumeIsolated().scheduleTask(deadline: instant) { self.judge(context) }
    }

    private func judge(_ context: ChannelHandlerContext) {
        look = nil
        guard let deadline else { return }
        if deadline <= .now() {
            context.channel.close(promise: nil)
        } else {
            planLook(at: deadline, context)
        }
    }

    private func leave() {
        deadline = nil
        look?.cancel()
        look = nil
    }
}
