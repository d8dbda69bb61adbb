import Synchronization
import TillJSON

/// The latest renderings of open pages. Streams of the same page and session share a rendering. The slower a page is
/// and the more pages are open, the less often they are rendered. So live updates leave CPU time to other requests.
final class LivePages: Sendable {
    /// Identifies a page; streams with equal keys share renderings.
    struct Key: Hashable, Sendable {
        let address: String
        let cookie: String
        /// The action whose result the page shows, and whether it has finished.
        var action: String?
        var isOver = false
    }

    /// A live region of a rendered page.
    struct Region: Sendable {
        let id: String
        let html: String
        let digest: String
    }

    /// The regions of a page, and the shop's revision when they were rendered.
    struct Rendering: Sendable {
        let regions: [Region]
        let revision: Int
    }

    private struct Entry {
        let number: Int
        let revision: Int
        let begun: ContinuousClock.Instant
        let task: Task<[Region], any Error>
        /// How long the rendering took; nil until it ends.
        var cost: Duration?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The number of streams of each page.
        var open: [Key: Int] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    /// Limits concurrent renderings.
    private let limit = AsyncSemaphore(2)

    /// How long a rendering is valid while the data does not change.
    private static let maxAge = Duration.seconds(1)
    /// A rendering is valid for at least this multiple of its rendering time.
    private static let costFactor = 10
    private static let maxWait = Duration.seconds(30)
    private static let retention = Duration.seconds(60)

    /// Counts a page as open until `close`.
    func open(_ key: Key) { state.withLock { $0.open[key, default: 0] += 1 } }

    func close(_ key: Key) {
        state.withLock { state in
            let left = (state.open[key] ?? 0) - 1
            state.open[key] = left > 0 ? left : nil
        }
    }

    /// The regions of a page, from a valid earlier rendering or from a new rendering.
    ///
    /// - Parameters:
    ///   - revision: the shop's current revision.
    ///   - instant: the earliest start of a valid rendering: the browser's page is newer than earlier renderings.
    ///   - make: renders the page.
    /// - Throws: the errors of `make`.
    func rendering(
        _ key: Key,
        revision: Int,
        since instant: ContinuousClock.Instant? = nil,
        _ make: @escaping @Sendable () async throws -> RenderedPage
    ) async throws -> Rendering {
        let (found, revision) = state.withLock { state in
            let now = ContinuousClock().now
            if let entry = state.entries[key], instant.map({ $0 <= entry.begun }) ?? true,
                Self.isValid(entry, now, revision, among: state.open.count)
            {
                return (entry.task, entry.revision)
            }
            state.entries = state.entries.filter { $0.value.cost == nil || now - $0.value.begun < Self.retention }
            state.count += 1
            let task = task(key, state.count, make)
            state.entries[key] = Entry(number: state.count, revision: revision, begun: now, task: task)
            return (task, revision)
        }
        return Rendering(regions: try await found.value, revision: revision)
    }

    private func task(_ key: Key, _ number: Int, _ make: @escaping @Sendable () async throws -> RenderedPage) -> Task<
        [Region], any Error
    > {
        Task { [self] in
            let clock = ContinuousClock()
            var began = clock.now
            defer {
                let cost = clock.now - began
                state.withLock { if $0.entries[key]?.number == number { $0.entries[key]?.cost = cost } }
            }
            let regions = try await limit.run {
                began = clock.now
                let page = try await make()
                return LiveRegions.of(page.html).map {
                    Region(id: $0.id, html: $0.html, digest: LiveRegions.digest($0.html, apartFrom: page.once))
                }
            }
            return regions ?? []
        }
    }

    private static func isValid(
        _ entry: Entry,
        _ now: ContinuousClock.Instant,
        _ revision: Int,
        among pages: Int
    ) -> Bool {
        guard let cost = entry.cost else { return true }
        let age = now - entry.begun
        if revision == entry.revision, age < maxAge { return true }
        return age < min(cost * costFactor * max(1, pages / 2), maxWait)
    }
}
