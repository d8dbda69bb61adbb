import Foundation
import Synchronization

/// Knows the newest leader that was seen of a database, and ends the connections to those before it.
///
/// Servers count their leaders: each takes over with a timeline above that of the one before. So a leader that was left
/// behind, stands still or does not know it yet is told from the one that counts, whatever lies between.
final class PrimaryTracker: Sendable {
    private let url: DatabaseURL
    private let settings: PostgresSettings
    private let state = Mutex(State())

    private struct Member {
        weak var line: Line?
        /// Nil until the server has said it.
        var timeline: Int64?
    }

    private struct State {
        var newest: Int64 = 0
        var members: [Member] = []
        var isWatched = false
        var isAsking = false
        /// The place of the leader among the hosts, as far as it is known.
        var leader = 0
        var nextQuestion = ContinuousClock.now
    }

    /// How often the silent ones are looked for.
    private static let interval = 0.25

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        self.url = url
        self.settings = settings
    }

    /// Watches over a connection from now on.
    func add(_ line: Line) {
        let isFirst = state.withLock { state in
            state.members.removeAll { $0.line == nil }
            state.members.append(Member(line: line, timeline: nil))
            defer { state.isWatched = true }
            return !state.isWatched
        }
        guard isFirst else { return }
        Thread.detachNewThread { [weak self] in
            while true {
                Thread.sleep(forTimeInterval: Self.interval)
                guard let self else { return }
                self.look()
            }
        }
    }

    /// Notes which leader a connection has reached. When it is a newer one, the connections to those before it end,
    /// also under those who wait for them: what such a leader says does not count any more.
    ///
    /// - Parameter timeline: 0 for a server that follows another.
    /// - Throws: `PostgresRefused.cannotConnect` for one that does not lead, or not any more.
    func admit(_ line: Line, on timeline: Int64) throws {
        let (newest, outdated) = state.withLock { state in
            state.newest = max(state.newest, timeline)
            for place in state.members.indices where state.members[place].line === line {
                state.members[place].timeline = timeline
            }
            let newest = state.newest
            return (newest, state.members.filter { $0.timeline.map { $0 < newest } ?? false }.compactMap(\.line))
        }
        for line in outdated { line.cut() }
        guard timeline < newest else { return }
        throw PostgresRefused.cannotConnect(
            timeline == 0 ? "the server follows another" : "the server has lost its lead (\(timeline), now \(newest))"
        )
    }

    // MARK: Finding the leader

    /// Connects to the leader. It is looked for where it was last, and then at every other host.
    ///
    /// - Parameter isDoubted: whether the others are asked first.
    /// - Throws: `PostgresRefused.cannotConnect` when nobody leads.
    func connect(isDoubted: Bool = false) throws -> Session {
        let hosts = url.hosts
        guard !hosts.isEmpty else { return try Session(url, settings, under: self) }
        let first = state.withLock(\.leader) + (isDoubted ? 1 : 0)
        var reasons: [String] = []
        for place in (first..<first + hosts.count).map({ $0 % hosts.count }) {
            let begun = ContinuousClock.now
            do {
                let session = try Session(url, settings, under: self, at: hosts[place])
                state.withLock { $0.leader = place }
                return session
            } catch PostgresRefused.cannotConnect(let reason) {
                reasons.append(reason)
            } catch let failure as PostgresFailure {
                reasons.append(failure.description)
            }
            // One that says nothing comes last from now on, lest everybody waits for it.
            if ContinuousClock.now - begun >= patience { state.withLock { $0.leader = (place + 1) % hosts.count } }
        }
        throw PostgresRefused.cannotConnect(reasons.joined(separator: "; "))
    }

    /// A host that has not greeted us for so long is silent. Libpq counts whole seconds by a clock that shows no parts.
    private var patience: Duration { (url.connectTimeout ?? settings.connectTimeout) - .seconds(1) }

    // MARK: Silence

    /// Ends the connections whose server has been silent for longer than any statement may take, and asks who leads
    /// when one has been silent for a while.
    private func look() {
        let now = ContinuousClock.now
        let lines = state.withLock { $0.members.compactMap(\.line) }
        var isDoubtful = false
        for line in lines {
            guard let silence = line.silence(at: now), silence > settings.doubtfulSilence else { continue }
            isDoubtful = true
            if silence > settings.longestSilence, !line.isPatient { line.cut() }
        }
        guard isDoubtful else { return }
        let mayAsk = state.withLock { state in
            guard !state.isAsking, now >= state.nextQuestion else { return false }
            state.isAsking = true
            return true
        }
        guard mayAsk else { return }
        // A server may stop in the middle of this answer, too; this thread must not wait for it.
        Thread.detachNewThread { self.ask() }
    }

    /// Asks who leads. A server that says nothing to a newcomer either is gone, and nobody need wait for it.
    private func ask() {
        let begun = ContinuousClock.now
        do {
            _ = try connect(isDoubted: true)
        } catch {
            let now = ContinuousClock.now
            let isSilent = now - begun >= patience
            for line in isSilent ? state.withLock({ $0.members.compactMap(\.line) }) : [] where !line.isPatient {
                if let silence = line.silence(at: now), silence > now - begun { line.cut() }
            }
        }
        state.withLock { state in
            state.isAsking = false
            state.nextQuestion = .now + settings.doubtfulSilence
        }
    }
}
