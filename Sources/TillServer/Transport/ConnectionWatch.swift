import NIOCore

/// Closes a TLS connection whose handshake takes too long, or that has had no HTTP/2 stream for too long.
///
/// With HTTP/2 the server first sends GOAWAY and gives the client a limited time. An HTTP/1.1 connection is closed by
/// `RequestDeadline` after the handshake.
final class ConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private enum Phase {
        case handshake
        /// An HTTP/2 connection with this number of open streams.
        case streams(Int)
        case left
    }

    /// The time that a client has to react to GOAWAY.
    private static let grace: TimeAmount = .seconds(3)

    private let limit: TimeAmount
    private var phase = Phase.handshake
    private var isEnding = false
    private var timer: Scheduled<Void>?
    private var channel: (any Channel)?

    init(_ limit: TimeAmount) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        channel = context.channel
        close(in: limit)
    }

    func handlerRemoved(context: ChannelHandlerContext) { leave() }

    func channelInactive(context: ChannelHandlerContext) {
        leave()
        context.fireChannelInactive()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let change = event as? StreamReport.Change {
            return streamsChange(by: change == .opened ? 1 : -1)
        }
        if event is ChannelShouldQuiesceEvent {
            isEnding = true
            switch phase {
            case .handshake: context.close(promise: nil)
            case .streams(0): close(in: Self.grace)
            case .streams, .left: break
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Begins to count streams, because the client chose HTTP/2.
    func streamsBegin() {
        phase = .streams(0)
        streamsChange(by: 0)
    }

    /// Stops the watch, because other handlers close the connection from now on.
    func leave() {
        phase = .left
        timer?.cancel()
        timer = nil
        channel = nil
    }

    private func streamsChange(by change: Int) {
        guard case .streams(let count) = phase else { return }
        phase = .streams(count + change)
        if count + change == 0 {
            close(in: isEnding ? Self.grace : limit + Self.grace)
        } else {
            timer?.cancel()
            timer = nil
        }
    }

    private func close(in time: TimeAmount) {
        timer?.cancel()
        guard let channel else { return }
        timer = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

/// Reports to the connection when one of its HTTP/2 streams opens and closes.
final class StreamReport: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    enum Change: Sendable {
        case opened
        case closed
    }

    private var isOpen = false

    func handlerAdded(context: ChannelHandlerContext) {
        isOpen = true
        context.channel.parent?.pipeline.fireUserInboundEventTriggered(Change.opened)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end(context) }

    func channelInactive(context: ChannelHandlerContext) {
        end(context)
        context.fireChannelInactive()
    }

    private func end(_ context: ChannelHandlerContext) {
        guard isOpen else { return }
        isOpen = false
        context.channel.parent?.pipeline.fireUserInboundEventTriggered(Change.closed)
    }
}
