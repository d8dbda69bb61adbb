import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOHTTP2
import NIOSSL
import TillStorage

/// A TLS connection: the handshake within the request deadline, then HTTP/2 or HTTP/1.1, as the client chose.
///
/// The limits are those of a connection without TLS. For HTTP/2, NIO adds its own limits: 100 concurrent streams, 16
/// KiB of header fields, and protection against floods of control frames. A connection without a stream ends after the
/// deadline.
struct SecureChannel: ServerChildChannel {
    typealias Negotiated = NIONegotiatedHTTPVersion<HTTP1Channel.Value, HTTP2Channel.Value>

    struct Value: ServerChildChannelValue {
        let negotiated: EventLoopFuture<Negotiated>
        let channel: any Channel
    }

    private let context: NIOSSLContext
    private let deadline: TimeAmount
    private let http1: HTTP1Channel
    private let http2: HTTP2Channel

    init(context: NIOSSLContext, limits: ConnectionLimits, responder: @escaping HTTPChannelHandler.Responder) {
        self.context = context
        deadline = limits.requestDeadline
        http1 = HTTP1Channel(responder: responder, configuration: limits.http1)
        http2 = HTTP2Channel(
            responder: responder,
            configuration: HTTP2Channel.Configuration(
                idleTimeout: .nanoseconds(limits.requestDeadline.nanoseconds),
                gracefulCloseTimeout: .seconds(5),
                streamConfiguration: HTTP1Channel.Configuration(
                    additionalChannelHandlers: [
                        StreamReport(), StreamTargetCheck(maxFields: limits.headerCount),
                        RequestDeadline(limits.requestDeadline),
                    ],
                    idleTimeout: limits.requestDeadline
                )
            )
        )
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let begun = channel.eventLoop.makeCompletedFuture {
            let watch = ConnectionWatch(deadline)
            try channel.pipeline.syncOperations.addHandler(watch)
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
            return NIOLoopBound(watch, eventLoop: channel.eventLoop)
        }
        return begun.flatMap { watch in
            channel.configureHTTP2AsyncSecureUpgrade { channel in
                http1.setup(channel: channel, logger: logger)
            } http2ConnectionInitializer: { channel in
                http2.setup(channel: channel, logger: logger)
            }
            .map { negotiated in
                negotiated.whenSuccess { version in
                    if case .http2 = version { watch.value.streamsBegin() } else { watch.value.leave() }
                }
                return Value(negotiated: negotiated, channel: channel)
            }
        }
    }

    func handle(value: Value, logger: Logger) async {
        do {
            switch try await value.negotiated.get() {
            case .http1_1(let connection): await http1.handle(value: connection, logger: logger)
            case .http2(let connection): await http2.handle(value: connection, logger: logger)
            }
        } catch {
            logger.debug("A TLS connection ended before its first request: \(error.logText)")
        }
    }
}
