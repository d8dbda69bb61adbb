import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Closes a connection whose request does not arrive whole in time: headers without end, bodies byte by byte. A body
/// that may be of any length must come on in time.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: TimeAmount
    private let uploads: Set<String>
    private var isUpload = false
    /// By when the request must be there; nil while none is awaited.
    private var deadline: NIODeadline?
    /// Looks at the deadline. It is set when a request is awaited and no look is planned, not for each request anew.
    private var look: Scheduled<Void>?

    /// - Parameter uploads: paths whose bodies may be of any length.
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
