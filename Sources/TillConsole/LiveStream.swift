import Foundation
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization
import TillServer
import TillShop

/// Tells an open page what has changed on it, as server-sent events.
///
/// A page is made again when anything was told, owed or due in the shop, and once a second in any case, since not
/// everything that a page shows is told to somebody; only regions whose text changed are sent.
struct LiveStream: Sendable {
    let console: Console
    let session: Session
    /// The page's own address.
    let address: String
    /// The act whose end the page waits for; nil for none.
    let act: String?
    /// What the browser has, by region.
    let had: [String: String]

    /// How often it looks whether anything was told.
    private static let look = Duration.milliseconds(200)
    /// How often it makes the page whatever was told.
    private static let turn = Duration.seconds(1)
    /// A silent stream says that it lives, and so hears of it when nobody reads it any more.
    private static let breath = Duration.seconds(5)

    func write(to writer: inout any ResponseBodyWriter) async throws {
        let clock = ContinuousClock()
        var had = had
        var effect: Effect?
        var (heard, made, spoke, checked) = (-1, clock.now, clock.now, clock.now)
        try await writer.write(ByteBuffer(string: ": here\n\n"))
        while !console.shop.isDraining.value, !Task.isCancelled, !Task.isShuttingDownGracefully {
            if effect?.outcome == nil, let act { effect = console.acts.effect(of: act) ?? effect }
            let news = console.pulse.count
            if news != heard || clock.now - made >= Self.turn {
                (heard, made) = (news, clock.now)
                if let changed = await changes(from: &had, effect) {
                    try await writer.write(ByteBuffer(string: changed))
                    spoke = clock.now
                }
            }
            if clock.now - checked >= Self.breath {
                checked = clock.now
                // It ends with the token under which it began.
                guard await counts() else { break }
            }
            if clock.now - spoke >= Self.breath {
                try await writer.write(ByteBuffer(string: ": all is quiet\n\n"))
                spoke = clock.now
            }
            try await Task.sleep(for: Self.look)
        }
        try await writer.finish(nil)
    }

    private func counts() async -> Bool {
        guard console.sessions.isGuarded else { return true }
        return (try? await console.sessions.counts(session.cookie)) ?? true
    }

    /// The event that says what changed; nil when nothing did, or the page cannot be made now.
    func changes(from had: inout [String: String], _ effect: Effect?) async -> String? {
        guard let page = try? await console.page(at: address, session, effect, act: act) else { return nil }
        var changed: [JSONTree.Member] = []
        for region in LiveRegions.of(page.html) {
            let digest = LiveRegions.digest(region.html)
            guard had[region.id] != digest else { continue }
            had[region.id] = digest
            changed.append(.init(region.id, .string(region.html)))
        }
        guard !changed.isEmpty else { return nil }
        let json = String(decoding: JSONTree.object(changed).written(), as: UTF8.self)
        return "event: regions\n" + json.split(separator: "\n").map { "data: \($0)\n" }.joined() + "\n"
    }
}

/// Counts what the shop tells whoever waits.
final class Pulse: Sendable {
    private let beats = Atomic<Int>(0)

    init(_ shop: Shop) {
        let beat: @Sendable () -> Void = { [weak self] in self?.beats.add(1, ordering: .relaxed) }
        shop.signals.add(
            .init(due: { _, _ in beat() }, owed: { _ in beat() }, told: { _ in beat() })
        )
    }

    /// How often anything was told.
    var count: Int { beats.load(ordering: .relaxed) }
}

/// Streams that are open at once, of which there may be so many.
final class LiveSeats: Sendable {
    private let taken = Mutex(0)
    static let most = 64

    /// Whether there was a place; then `leave` gives it back.
    func take() -> Bool {
        taken.withLock { taken in
            guard taken < Self.most else { return false }
            taken += 1
            return true
        }
    }

    func leave() { taken.withLock { $0 -= 1 } }
}
