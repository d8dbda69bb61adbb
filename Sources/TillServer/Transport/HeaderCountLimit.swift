import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Refuses an HTTP/2 request with too many header fields. For HTTP/1.1 the parser has such a limit.
final class HeaderCountLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let limit: Int
    private var isRefused = false

    init(_ limit: Int) {
        self.limit = limit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head(let head) = unwrapInboundIn(data), head.headerFields.count > limit {
            isRefused = true
            let refusal = HTTPResponse(status: .badRequest, headerFields: [.contentLength: "0"])
            let channel = context.channel
            context.write(wrapOutboundOut(.head(refusal)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
        }
        if !isRefused { context.fireChannelRead(data) }
    }
}
