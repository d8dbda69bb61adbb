import Synchronization

/// Pages that are open, as they were made last. Streams of the same page and session share one rendering, and pages
/// are made again the less often the longer it takes and the more of them are open: what nobody asks for aloud must not
/// take the processor from the shop.
final class LivePages: Sendable {
    /// What makes two pages the same.
    struct Key: Hashable, Sendable {
        let address: String
        let cookie: String
        /// The act whose effect stands above the page, and whether it is over.
        var act: String?
        var isOver = false
    }

    /// A region as it stood on a page.
    struct Region: Sendable {
        let id: String
        let html: String
        let digest: String
    }

    /// The regions of a page, as they were when so much had been told.
    struct Rendering: Sendable {
        let regions: [Region]
        let beats: Int
    }

    private struct Entry {
        let number: Int
        let beats: Int
        let begun: ContinuousClock.Instant
        let task: Task<[Region], any Error>
        /// Nil while it is made.
        var cost: Duration?
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// How often each page is open.
        var open: [Key: Int] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    /// So many are made at once.
    private let room = Gate(2)

    /// How long a rendering counts where nothing was told.
    private static let turn = Duration.seconds(1)
    /// A rendering counts at least so many times as long as it took.
    private static let share = 10
    private static let longestRest = Duration.seconds(30)
    private static let kept = Duration.seconds(60)

    /// Counts a page as open until `close`.
    func open(_ key: Key) { state.withLock { $0.open[key, default: 0] += 1 } }

    func close(_ key: Key) {
        state.withLock { state in
            let left = (state.open[key] ?? 0) - 1
            state.open[key] = left > 0 ? left : nil
        }
    }

    /// The regions of a page: those that were made a moment ago, or new ones.
    ///
    /// - Parameters:
    ///   - beats: how often anything was told by now.
    ///   - instant: what was made earlier is older than what the browser has.
    ///   - make: makes the page.
    /// - Throws: what `make` throws.
    func rendering(
        _ key: Key,
        beats: Int,
        since instant: ContinuousClock.Instant? = nil,
        _ make: @escaping @Sendable () async throws -> RenderedPage
    ) async throws -> Rendering {
        let (found, beats) = state.withLock { state in
            let now = ContinuousClock().now
            if let entry = state.entries[key], instant.map({ $0 <= entry.begun }) ?? true,
                Self.counts(entry, now, beats, among: state.open.count)
            {
                return (entry.task, entry.beats)
            }
            state.entries = state.entries.filter { $0.value.cost == nil || now - $0.value.begun < Self.kept }
            state.count += 1
            let task = task(key, state.count, make)
            state.entries[key] = Entry(number: state.count, beats: beats, begun: now, task: task)
            return (task, beats)
        }
        return Rendering(regions: try await found.value, beats: beats)
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
            let regions = try await room.through {
                began = clock.now
                let page = try await make()
                return LiveRegions.of(page.html).map {
                    Region(id: $0.id, html: $0.html, digest: LiveRegions.digest($0.html, apartFrom: page.once))
                }
            }
            return regions ?? []
        }
    }

    private static func counts(
        _ entry: Entry,
        _ now: ContinuousClock.Instant,
        _ beats: Int,
        among pages: Int
    ) -> Bool {
        guard let cost = entry.cost else { return true }
        let age = now - entry.begun
        if beats == entry.beats, age < turn { return true }
        return age < min(cost * share * max(1, pages / 2), longestRest)
    }
}
