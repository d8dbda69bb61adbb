import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization
import TillJSON
import TillServer
import TillShop

/// Sends changes of an open page as server-sent events.
///
/// The page is rendered again when the shop signals a change of data, and every second, because some data changes
/// without a signal. Slow pages are rendered less often (`LivePages`). Only changed regions are sent. The stream ends
/// when the page's subject, such as a customer, no longer exists.
struct LiveStream: Sendable {
    let console: Console
    let session: Session
    /// The page's URL.
    let address: String
    /// The identifier of the action whose result the page waits for; nil if it waits for none.
    let action: String?
    /// The digests of the regions that the browser shows.
    let had: [String: String]

    /// When the stream was opened: after the browser had loaded the page with the result of the user's last action.
    private let opened = ContinuousClock.now

    /// How often the stream checks for changes.
    private static let pollInterval = Duration.milliseconds(200)
    /// The longest time between two renderings.
    private static let refreshInterval = Duration.seconds(1)
    /// How often an idle stream sends a comment, to detect that the browser has closed the connection.
    private static let heartbeatInterval = Duration.seconds(5)

    func write(to writer: inout any ResponseBodyWriter) async throws {
        console.livePages.open(page)
        defer { console.livePages.close(page) }
        let clock = ContinuousClock()
        var had = had
        var effect: Effect?
        var (seen, rendered, written, checked) = (-1, clock.now, clock.now, clock.now)
        try await writer.write(ByteBuffer(string: ": open\n\n"))
        while !console.shop.locks.isDraining.value, !Task.isCancelled, !Task.isShuttingDownGracefully {
            if effect?.outcome == nil, let action { effect = console.actions.effect(of: action) ?? effect }
            if console.changeCounter.count != seen || clock.now - rendered >= Self.refreshInterval {
                rendered = clock.now
                let changes = await changes(from: &had, effect)
                seen = changes.revision
                if let event = changes.event {
                    try await writer.write(ByteBuffer(string: event))
                    written = clock.now
                }
                if changes.isGone { break }
            }
            if clock.now - checked >= Self.heartbeatInterval {
                checked = clock.now
                // A stream ends when its session ends.
                guard await isSessionValid() else { break }
            }
            if clock.now - written >= Self.heartbeatInterval {
                try await writer.write(ByteBuffer(string: ": idle\n\n"))
                written = clock.now
            }
            try await Task.sleep(for: Self.pollInterval)
        }
        try await writer.finish(nil)
    }

    private func isSessionValid() async -> Bool {
        guard console.sessions.isGuarded else { return true }
        return (try? await console.sessions.isValid(session.cookie)) ?? true
    }

    /// The changes of a page.
    struct Changes: Sendable {
        /// The server-sent event; nil if nothing changed or rendering failed.
        var event: String?
        /// The shop's revision when the page was rendered.
        var revision: Int
        /// Whether the page's subject no longer exists.
        var isGone = false
    }

    /// Renders the page and returns an event with the regions that changed.
    func changes(from had: inout [String: String], _ effect: Effect?) async -> Changes {
        let revision = console.changeCounter.count
        let rendering: LivePages.Rendering
        do {
            rendering = try await regions(effect, revision)
        } catch {
            let isGone = ControlError(of: error, logger: console.shop.logger).status == .notFound
            return Changes(event: isGone ? "event: gone\ndata: gone\n\n" : nil, revision: revision, isGone: isGone)
        }
        var changed: [JSONTree.Member] = []
        for region in rendering.regions where had[region.id] != region.digest {
            had[region.id] = region.digest
            changed.append(.init(region.id, .string(region.html)))
        }
        guard !changed.isEmpty else { return Changes(revision: rendering.revision) }
        let json = String(decoding: JSONTree.object(changed).written(), as: UTF8.self)
        let lines = json.split(separator: "\n").map { "data: \($0)\n" }.joined()
        return Changes(event: "event: regions\n\(lines)\n", revision: rendering.revision)
    }

    private var page: LivePages.Key { LivePages.Key(address: address, cookie: session.cookie) }

    private func regions(_ effect: Effect?, _ revision: Int) async throws -> LivePages.Rendering {
        var key = page
        // A client can send any action identifier, so an unknown identifier must not cause a separate rendering.
        if let effect { (key.action, key.isOver) = (action, effect.outcome != nil) }
        return try await console.livePages.rendering(key, revision: revision, since: opened) {
            try await console.page(at: address, session, effect, action: action)
        }
    }
}

/// Counts the shop's change signals.
final class ChangeCounter: Sendable {
    private let changes = Atomic<Int>(0)

    init(_ shop: Shop) {
        let increment: @Sendable () -> Void = { [weak self] in self?.changes.add(1, ordering: .relaxed) }
        shop.signals.add(
            .init(due: { _, _ in increment() }, pending: { _ in increment() }, notifications: { _ in increment() })
        )
    }

    /// The number of changes so far: the shop's revision.
    var count: Int { changes.load(ordering: .relaxed) }
}

/// Limits the number of open streams.
final class LiveSeats: Sendable {
    private let taken = Mutex(0)
    static let limit = 64

    /// Reserves a seat, which `leave` releases; false if no seat is free.
    func take() -> Bool {
        taken.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
    }

    func leave() { taken.withLock { $0 -= 1 } }
}
