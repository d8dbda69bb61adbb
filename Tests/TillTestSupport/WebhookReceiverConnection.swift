import Foundation
import NIOCore
import NIOHTTP1
import TillCore

/// Handles one connection of a webhook receiver: collects a request, determines the answer and sends it.
final class WebhookReceiverConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private let number: Int
    private let recorder: WebhookReceiver.Recorder
    private let rules: WebhookReceiver.Rules
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var idleAlarm: Scheduled<Void>?

    init(_ number: Int, _ recorder: WebhookReceiver.Recorder, _ rules: WebhookReceiver.Rules) {
        self.number = number
        self.recorder = recorder
        self.rules = rules
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            idleAlarm?.cancel()
            self.head = head
            body = []
        case .body(let part):
            body += part.readableBytesView
        case .end:
            guard let head else { return }
            self.head = nil
            let received = recorder.keep { request in
                WebhookReceiver.Received(
                    number: request,
                    connection: number,
                    method: head.method.rawValue,
                    path: head.uri,
                    headers: head.headers.map { ($0.name, $0.value) },
                    body: body,
                    arrived: Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
                )
            }
            give(rules.answering(received), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        idleAlarm?.cancel()
        context.fireChannelInactive()
    }

    private func give(_ answer: WebhookReceiver.Answer, _ context: ChannelHandlerContext) {
        switch answer {
        case .status(let status, let wait):
            context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) {
                self.write(Self.text(status), context)
            }
        case .redirect(let place, let status):
            write(Self.text(status, [("Location", place)]), context)
        case .charset(let name):
            write(Self.text(200, [("Content-Type", "text/plain; charset=\(name)")], Array("ok".utf8)), context)
        case .text(let status, let headers, let body):
            write(Self.text(status, headers, body), context)
        case .raw(let bytes):
            write(bytes, context)
        case .rawThenClose(let bytes):
            end(after: bytes, context)
        case .close:
            context.close(promise: nil)
        case .closeMidway:
            end(after: Array("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf".utf8), context)
        case .reset:
            reset(context)
        case .hang:
            break
        }
    }

    private static func text(
        _ status: Int,
        _ headers: [(name: String, value: String)] = [],
        _ body: [UInt8] = []
    ) -> [UInt8] {
        let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
        var text = "HTTP/1.1 \(status) \(reason)\r\n"
        if status >= 200, status != 204, status != 304 { text += "Content-Length: \(body.count)\r\n" }
        for field in headers { text += "\(field.name): \(field.value)\r\n" }
        return Array("\(text)\r\n".utf8) + body
    }

    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        guard let wait = rules.closesIdleAfter else { return }
        if wait == .zero {
            context.close(promise: nil)
        } else {
            idleAlarm = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) {
                context.close(promise: nil)
            }
        }
    }

    private func end(after bytes: [UInt8], _ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
        context.close(promise: nil)
    }

    private func reset(_ context: ChannelHandlerContext) {
        if let socket = context.channel as? any SocketOptionProvider {
            socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenFailure { _ in }
        }
        context.close(promise: nil)
    }
}
