import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization
import TillServer
import TillShop

/// Tells an open page what has changed on it, as server-sent events.
///
/// A page is made again when anything was told, owed or due in the shop, and once a second in any case, since not
/// everything that a page shows is told to somebody; less often where that takes long (`LivePages`). Only regions whose
/// text changed are sent. A stream of what is not there any more ends.
struct LiveStream: Sendable {
    let console: Console
    let session: Session
    /// The page's own address.
    let address: String
    /// The act whose end the page waits for; nil for none.
    let act: String?
    /// What the browser has, by region.
    let had: [String: String]

    /// The browser's page was made before this, and after whatever its reader did.
    private let opened = ContinuousClock.now

    /// How often it looks whether anything was told.
    private static let look = Duration.milliseconds(200)
    /// How often it makes the page whatever was told.
    private static let turn = Duration.seconds(1)
    /// A silent stream says that it lives, and so hears of it when nobody reads it any more.
    private static let breath = Duration.seconds(5)

    func write(to writer: inout any ResponseBodyWriter) async throws {
        console.livePages.open(page)
        defer { console.livePages.close(page) }
        let clock = ContinuousClock()
        var had = had
        var effect: Effect?
        var (heard, made, spoke, checked) = (-1, clock.now, clock.now, clock.now)
        try await writer.write(ByteBuffer(string: ": here\n\n"))
        while !console.shop.isDraining.value, !Task.isCancelled, !Task.isShuttingDownGracefully {
            if effect?.outcome == nil, let act { effect = console.acts.effect(of: act) ?? effect }
            let nodeEvent = console.pulse.count
            if nodeEvent != heard || clock.now - made >= Self.turn {
                made = clock.now
                let changes = await changes(from: &had, effect)
                heard = changes.beats
                if let event = changes.event {
                    try await writer.write(ByteBuffer(string: event))
                    spoke = clock.now
                }
                if changes.isGone { break }
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

    /// What there is to tell of a page.
    struct Changes: Sendable {
        /// Nil when nothing changed, or the page cannot be made now.
        var event: String?
        /// What had been told when the page was made.
        var beats: Int
        /// Whether what the page is about is not there.
        var isGone = false
    }

    /// The event that says what changed.
    func changes(from had: inout [String: String], _ effect: Effect?) async -> Changes {
        let beats = console.pulse.count
        let rendering: LivePages.Rendering
        do {
            rendering = try await regions(effect, beats)
        } catch {
            let isGone = ControlError(of: error, logger: console.shop.logger).status == .notFound
            return Changes(event: isGone ? "event: gone\ndata: gone\n\n" : nil, beats: beats, isGone: isGone)
        }
        var changed: [JSONTree.Member] = []
        for region in rendering.regions where had[region.id] != region.digest {
            had[region.id] = region.digest
            changed.append(.init(region.id, .string(region.html)))
        }
        guard !changed.isEmpty else { return Changes(beats: rendering.beats) }
        let json = String(decoding: JSONTree.object(changed).written(), as: UTF8.self)
        let lines = json.split(separator: "\n").map { "data: \($0)\n" }.joined()
        return Changes(event: "event: regions\n\(lines)\n", beats: rendering.beats)
    }

    private var page: LivePages.Key { LivePages.Key(address: address, cookie: session.cookie) }

    private func regions(_ effect: Effect?, _ beats: Int) async throws -> LivePages.Rendering {
        var key = page
        // Anybody may name an act; only one that there is makes another page.
        if let effect { (key.act, key.isOver) = (act, effect.outcome != nil) }
        return try await console.livePages.rendering(key, beats: beats, since: opened) {
            try await console.page(at: address, session, effect, act: act)
        }
    }
}

/// Counts what the shop tells whoever waits.
final class Pulse: Sendable {
    private let beats = Atomic<Int>(0)

    init(_ shop: Shop) {
        let beat: @Sendable () -> Void = { [weak self] in self?.beats.add(1, ordering: .relaxed) }
        shop.signals.add(
            .init(due: { _, _ in beat() }, owed: { _ in beat() }, notifications: { _ in beat() })
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
