import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Refuses an HTTP/1 request with a wrong target or `Host` field (`RequestTarget`): answers 400 with a message and
/// closes the connection. The check must directly follow the parser, because later types lack the authority of an
/// absolute URL.
final class RequestTargetCheck: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The number of accepted requests that have no answer yet. A refusal must wait for these answers.
    private var unanswered = 0
    private var refused: RequestTarget.Refused?
    private let asControl: Bool

    /// - Parameter asControl: whether the refusal is an error of the control API; otherwise it is plain text.
    init(asControl: Bool) {
        self.asControl = asControl
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // After a refused request, further input is discarded.
        guard refused == nil else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        do {
            let target = head.uri
            try RequestTarget.check(&head)
            unanswered += 1
            context.fireChannelRead(head.uri == target ? data : wrapInboundOut(.head(head)))
        } catch {
            refused = error
            answer(context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
        context.write(data, promise: promise)
        guard isEnd else { return }
        unanswered -= 1
        answer(context)
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let refused, unanswered == 0 else { return }
        let error = ControlError(status: .badRequest, code: "bad_host", message: refused.reason)
        let body = asControl ? ByteBuffer(bytes: error.body) : ByteBuffer(string: refused.reason + "\n")
        let headers: HTTPHeaders = [
            "Content-Type": asControl ? "application/json" : "text/plain; charset=utf-8",
            "Content-Length": String(body.readableBytes), "Connection": "close",
        ]
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers)
        let channel = context.channel
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in
            // The client may still be sending a body. Closing at once could destroy the answer before the client reads
            // it.
            channel.close(mode: .output, promise: nil)
            channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        }
    }
}

/// Inserts `RequestTargetCheck` directly after the parser, where Hummingbird cannot insert additional handlers.
final class RequestTargetCheckSetup: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart

    private let asControl: Bool

    init(asControl: Bool) {
        self.asControl = asControl
    }

    func handlerAdded(context: ChannelHandlerContext) {
        do {
            let pipeline = context.pipeline.syncOperations
            let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(RequestTargetCheck(asControl: asControl), position: .after(parser))
        } catch {
            // No request may be answered without the check.
            context.close(promise: nil)
        }
    }
}

/// Refuses an HTTP/2 request in the same way, and one with too many header fields, for which the parser of HTTP/1.1 has
/// a limit. The stream ends with the answer, and the connection stays open.
final class StreamTargetCheck: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let maxFields: Int
    private var isRefused = false

    init(maxFields: Int) {
        self.maxFields = maxFields
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard head.headerFields.count <= maxFields else { return refuse(context, nil) }
        do {
            try RequestTarget.check(&head)
            context.fireChannelRead(wrapInboundOut(.head(head)))
        } catch {
            refuse(context, error.reason)
        }
    }

    private func refuse(_ context: ChannelHandlerContext, _ reason: String?) {
        isRefused = true
        let body = ByteBuffer(string: reason.map { $0 + "\n" } ?? "")
        var fields: HTTPFields = [.contentLength: String(body.readableBytes)]
        if reason != nil { fields[.contentType] = "text/plain; charset=utf-8" }
        let channel = context.channel
        context.write(wrapOutboundOut(.head(HTTPResponse(status: .badRequest, headerFields: fields))), promise: nil)
        if reason != nil { context.write(wrapOutboundOut(.body(body)), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
