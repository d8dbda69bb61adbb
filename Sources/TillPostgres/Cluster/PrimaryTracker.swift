import Foundation
import Synchronization

/// Records the newest primary of a database, and closes the connections to older primaries.
///
/// Each failover increases the timeline of the server. An old primary that is isolated, frozen or unaware of the
/// failover therefore has a lower timeline.
final class PrimaryTracker: Sendable {
    private let url: DatabaseURL
    private let settings: PostgresSettings
    private let state = Mutex(State())

    private struct Member {
        weak var handle: ConnectionHandle?
        /// The timeline of the server; nil until the server has reported it.
        var timeline: Int64?
    }

    private struct State {
        var newest: Int64 = 0
        var members: [Member] = []
        var isWatched = false
        var isAsking = false
        /// The index of the last known primary among the hosts.
        var leader = 0
        var nextQuestion = ContinuousClock.now
    }

    /// The interval at which the tracker checks for silent connections, in seconds.
    private static let interval = 0.25

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        self.url = url
        self.settings = settings
    }

    /// Starts to monitor a connection.
    func add(_ handle: ConnectionHandle) {
        let isFirst = state.withLock { state in
            state.members.removeAll { $0.handle == nil }
            state.members.append(Member(handle: handle, timeline: nil))
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

    /// Records the server that a connection has reached. If it is a newer primary, this closes all connections to older
    /// primaries, even those in use, because the results of an old primary are no longer valid.
    ///
    /// - Parameter timeline: The timeline of the server; 0 for a standby.
    /// - Throws: `PostgresRefused.cannotConnect` if the server is not the primary, or is no longer the primary.
    func admit(_ handle: ConnectionHandle, on timeline: Int64) throws {
        let (newest, outdated) = state.withLock { state in
            state.newest = max(state.newest, timeline)
            for place in state.members.indices where state.members[place].handle === handle {
                state.members[place].timeline = timeline
            }
            let newest = state.newest
            return (newest, state.members.filter { $0.timeline.map { $0 < newest } ?? false }.compactMap(\.handle))
        }
        for handle in outdated { handle.cut() }
        guard timeline < newest else { return }
        throw PostgresRefused.cannotConnect(
            timeline == 0
                ? "the server is a standby"
                : "the server is no longer the primary (timeline \(timeline), now \(newest))"
        )
    }

    // MARK: Search for the primary

    /// Connects to the primary. It tries the last known host first, and then every other host.
    ///
    /// - Parameter isDoubted: Whether to try the other hosts first.
    /// - Throws: `PostgresRefused.cannotConnect` if no host is a primary.
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
            // From now on, the silent host is tried last, so that not every caller waits for it.
            if ContinuousClock.now - begun >= patience { state.withLock { $0.leader = (place + 1) % hosts.count } }
        }
        throw PostgresRefused.cannotConnect(reasons.joined(separator: "; "))
    }

    /// The time after which a host without a response counts as silent. Libpq counts whole seconds, and its clock may
    /// differ by up to one second.
    private var patience: Duration { (url.connectTimeout ?? settings.connectTimeout) - .seconds(1) }

    // MARK: Silent servers

    /// Closes the connections whose server has been silent for longer than any statement may take. Searches for the
    /// primary if a server has been silent for a shorter time.
    private func look() {
        let now = ContinuousClock.now
        let lines = state.withLock { $0.members.compactMap(\.handle) }
        var isDoubtful = false
        for handle in lines {
            guard let silence = handle.silence(at: now), silence > settings.doubtfulSilence else { continue }
            isDoubtful = true
            if silence > settings.maxSilence, !handle.isPatient { handle.cut() }
        }
        guard isDoubtful else { return }
        let mayAsk = state.withLock { state in
            guard !state.isAsking, now >= state.nextQuestion else { return false }
            state.isAsking = true
            return true
        }
        guard mayAsk else { return }
        // The server may also freeze during this response, and this thread must not wait for it.
        Thread.detachNewThread { self.ask() }
    }

    /// Searches for the primary. If a server does not respond to a new connection either, it has failed, and its other
    /// connections are closed.
    private func ask() {
        let begun = ContinuousClock.now
        do {
            _ = try connect(isDoubted: true)
        } catch {
            let now = ContinuousClock.now
            let isSilent = now - begun >= patience
            for handle in isSilent ? state.withLock({ $0.members.compactMap(\.handle) }) : [] where !handle.isPatient {
                if let silence = handle.silence(at: now), silence > now - begun { handle.cut() }
            }
        }
        state.withLock { state in
            state.isAsking = false
            state.nextQuestion = .now + settings.doubtfulSilence
        }
    }
}
