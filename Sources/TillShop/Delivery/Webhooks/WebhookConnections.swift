import NIOCore
import Synchronization
import TillCore

/// The connections of a webhook client: connections in use, and idle connections for the next request to the same
/// server.
final class WebhookConnections: Sendable {
    private struct Book {
        var isClosed = false
        var open: [ObjectIdentifier: any Channel] = [:]
        var idle: [WebhookOrigin: [any Channel]] = [:]
    }

    private let book = Mutex(Book())

    /// The maximum number of idle connections to one server. It equals the number of posts that the delivery worker
    /// sends to an endpoint at the same time.
    private static let idlePerOrigin = 16

    /// The error after the webhook client has stopped.
    static let closed = WebhookFailure(.other, "Till has stopped")

    /// - Throws: `closed`
    func requireOpen() throws { if book.withLock({ $0.isClosed }) { throw Self.closed } }

    /// Adds a new connection. After the webhook client has stopped, closes it.
    ///
    /// - Throws: `closed`
    func enter(_ channel: any Channel, to origin: WebhookOrigin) throws {
        let isClosed = book.withLock { book in
            if !book.isClosed { book.open[ObjectIdentifier(channel)] = channel }
            return book.isClosed
        }
        channel.closeFuture.whenComplete { [self] _ in leave(channel, to: origin) }
        guard isClosed else { return }
        channel.close(promise: nil)
        throw Self.closed
    }

    private func leave(_ channel: any Channel, to origin: WebhookOrigin) {
        book.withLock { book in
            book.open[ObjectIdentifier(channel)] = nil
            book.idle[origin]?.removeAll { $0 === channel }
            if book.idle[origin]?.isEmpty == true { book.idle[origin] = nil }
        }
    }

    /// The most recently used idle connection to a server; nil if there is none.
    ///
    /// - Parameter isFit: returns whether the connection may be used.
    func take(to origin: WebhookOrigin, where isFit: (any Channel) -> Bool) -> (any Channel)? {
        book.withLock { book in
            let index = book.idle[origin]?.lastIndex { $0.isActive && isFit($0) }
            return index.flatMap { book.idle[origin]?.remove(at: $0) }
        }
    }

    /// Keeps an idle connection for the next request, or closes it if too many are kept.
    func keep(_ channel: any Channel, to origin: WebhookOrigin) {
        let isKept = book.withLock { book in
            guard !book.isClosed, book.open[ObjectIdentifier(channel)] != nil else { return false }
            guard book.idle[origin, default: []].count < Self.idlePerOrigin else { return false }
            book.idle[origin, default: []].append(channel)
            return true
        }
        if !isKept { channel.close(promise: nil) }
    }

    /// Closes all connections and accepts no new ones.
    func close() async {
        let channels = book.withLock { book in
            book.isClosed = true
            book.idle = [:]
            return Array(book.open.values)
        }
        for channel in channels {
            channel.triggerUserOutboundEvent(WebhookExchange.ConnectionClose(), promise: nil)
        }
        for channel in channels { try? await channel.closeFuture.get() }
    }
}
