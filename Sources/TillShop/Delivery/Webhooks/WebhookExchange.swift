import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS
import TillCore
import TillStorage

/// A request to send on a connection, and the promise of its answer.
struct WebhookRequest: Sendable {
    let target: WebhookTarget
    let userAgent: String
    let body: ByteBuffer
    /// The span of the delivery in its trace; nil if it belongs to none.
    let trace: TraceContext?
    let deadline: NIODeadline
    let answer: EventLoopPromise<WebhookResponse>

    /// Sends the request on a connection.
    func send(on channel: any Channel) {
        channel.writeAndFlush(self).whenFailure { _ in
            // `WebhookExchange` reports its own errors. This error means that the connection was closed before.
            let explanation = "connection reset by \(target.origin) before an answer"
            answer.fail(WebhookFailure(.socketIssue, explanation, isUntaken: true))
        }
    }
}

/// The parts of an answer that Till uses.
struct WebhookResponse: Sendable {
    let status: Int
    let location: String?
    let contentType: String?
    /// The server's address; nil if the connection was already closed.
    let address: IPAddress?
}

/// Sends requests on a connection, one after another, and reads the answers.
///
/// The body of an answer is read up to a limit and then discarded, so that the connection can be used again. If the
/// body is longer, the connection is closed, but the attempt does not fail.
final class WebhookExchange: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = WebhookRequest
    typealias OutboundOut = HTTPClientRequestPart

    /// The event that closes a connection when the webhook client stops.
    struct ConnectionClose: Sendable {}

    /// The maximum number of bytes that are read of an answer's body.
    static let bodyLimit = 64 * 1_024

    private struct Current {
        let request: WebhookRequest
        let alarm: Scheduled<Void>
        var head: HTTPResponseHead?
        /// The number of bytes of the answer that had arrived when its head was complete.
        var headCount = 0
    }

    private let origin: WebhookOrigin
    private let connections: WebhookConnections
    private let idleLimit: TimeAmount
    private let wire: WireWatch
    private let answer: AnswerWatch
    private var current: Current?
    private var idleAlarm: Scheduled<Void>?
    private var isSecured = false
    /// Why the connection failed before its first request, as a handshake can while the client still connects.
    private var early: WebhookFailure?

    init(
        origin: WebhookOrigin,
        connections: WebhookConnections,
        idleLimit: TimeAmount,
        wire: WireWatch,
        answer: AnswerWatch
    ) {
        self.origin = origin
        self.connections = connections
        self.idleLimit = idleLimit
        self.wire = wire
        self.answer = answer
    }

    // MARK: - The request

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let request = unwrapOutboundIn(data)
        guard current == nil, context.channel.isActive else {
            if let early { request.answer.fail(early) }
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        idleAlarm?.cancel()
        answer.count = 0
        let alarm = context.eventLoop.assumeIsolated().scheduleTask(deadline: request.deadline) { self.expire() }
        current = Current(request: request, alarm: alarm)
        var headers: HTTPHeaders = [
            "Host": origin.authority, "User-Agent": request.userAgent, "Accept": "*/*",
            "Content-Type": "application/json", "Content-Length": String(request.body.readableBytes),
            DeliveryHeader.name: DeliveryHeader.value,
        ]
        if let trace = request.trace {
            headers.add(name: TraceContext.parentField, value: trace.parent)
            if let state = trace.state { headers.add(name: TraceContext.stateField, value: state) }
        }
        let head = HTTPRequestHead(version: .http1_1, method: .POST, uri: request.target.path, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(request.body))), promise: nil)
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is ConnectionClose else {
            context.triggerUserOutboundEvent(event, promise: promise)
            return
        }
        promise?.succeed()
        fail(WebhookFailure(.other, "Till stopped during the exchange with \(origin)"))
        wire.cut()
    }

    // MARK: - The answer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard current != nil else {
            // The server sent data without a request.
            wire.cut()
            return
        }
        switch unwrapInboundIn(data) {
        case .head(let head):
            current?.head = head
            current?.headCount = answer.count
            if head.status == .switchingProtocols { finish(context, isComplete: false) }
        case .body:
            break
        case .end:
            finish(context, isComplete: true)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let current, current.head != nil, answer.count - current.headCount > Self.bodyLimit {
            finish(context, isComplete: false)
        }
        context.fireChannelReadComplete()
    }

    private func finish(_ context: ChannelHandlerContext, isComplete: Bool) {
        guard let current, let head = current.head else { return }
        self.current = nil
        current.alarm.cancel()
        let wait = keepAliveLimit(head.headers)
        let isReusable = isComplete && head.isKeepAlive && wait > .zero && context.channel.isActive
        if isReusable {
            idleAlarm = context.eventLoop.assumeIsolated().scheduleTask(in: wait) { context.close(promise: nil) }
            connections.keep(context.channel, to: origin)
        }
        current.request.answer.succeed(
            WebhookResponse(
                status: Int(head.status.code),
                location: head.headers.first(name: "Location"),
                contentType: head.headers.first(name: "Content-Type"),
                address: context.channel.remoteAddress.flatMap(IPAddress.init)
            )
        )
        if !isReusable { wire.cut() }
    }

    /// How long the connection may be idle: a second less than the server's Keep-Alive timeout.
    private func keepAliveLimit(_ headers: HTTPHeaders) -> TimeAmount {
        for field in headers[canonicalForm: "Keep-Alive"] {
            let parts = field.split(separator: "=")
            guard parts.count == 2, parts[0].lowercased() == "timeout", let seconds = Int64(parts[1]) else { continue }
            return min(idleLimit, .seconds(max(0, min(seconds, 3_600) - 1)))
        }
        return idleLimit
    }

    // MARK: - The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // If the server closes without TLS close_notify, `channelInactive` handles it like any other close.
        if case NIOSSLError.uncleanShutdown = error { return }
        var failure =
            error is IOError && origin.isSecure && !isSecured
            ? WebhookFailure(.tlsIssue, "TLS with \(origin) failed: the connection was reset during the handshake")
            : WebhookFailure(error, at: origin, answerBegan: answer.count > 0)
        failure.isUntaken = error is IOError && answer.count == 0
        fail(failure)
        wire.cut()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event { isSecured = true }
        // The server sent TLS close_notify. HTTP needs both directions, so the connection is closed.
        if let event = event as? ChannelEvent, event == .inputClosed { wire.cut() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        idleAlarm?.cancel()
        if answer.count > 0 {
            fail(WebhookFailure(.prematureClose, "\(origin) ended the connection in the middle of its answer"))
        } else {
            let explanation = "\(origin) ended the connection without an answer"
            // Under TLS, a TCP acknowledgement does not show what the server read before it closed.
            let isTaken = !origin.isSecure && wire.hasPeerTakenAll
            fail(WebhookFailure(.noResponse, explanation, isUntaken: !isTaken))
        }
        context.fireChannelInactive()
    }

    private func expire() {
        guard let current else { return }
        let part = current.head == nil ? "no answer" : "no complete answer"
        fail(WebhookFailure(.timedOut, "\(part) from \(origin) within the time limit"))
        wire.cut()
    }

    private func fail(_ failure: WebhookFailure) {
        guard let current else {
            if !isSecured, origin.isSecure { early = early ?? failure }
            return
        }
        self.current = nil
        current.alarm.cancel()
        current.request.answer.fail(failure)
    }
}
