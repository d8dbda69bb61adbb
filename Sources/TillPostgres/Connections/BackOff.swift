import Synchronization

/// When the next attempt to connect may be made: a server that is down is not stormed, and who asks meanwhile is told
/// at once what is wrong.
final class BackOff: Sendable {
    private let state = Mutex(State())
    private let shortest: Duration
    private let longest: Duration

    private struct State {
        var wait: Duration = .zero
        var next: ContinuousClock.Instant?
        var reason: (any Error)?
    }

    init(_ settings: PostgresSettings) {
        shortest = settings.shortestBackOff
        longest = settings.longestBackOff
    }

    /// Makes an attempt if one may be made now.
    ///
    /// - Throws: what is wrong now, or what was wrong at the last attempt.
    func attempt<Value>(_ body: () throws -> Value) throws -> Value {
        try state.withLock { state in
            if let next = state.next, let reason = state.reason, ContinuousClock.now < next { throw reason }
        }
        do {
            let value = try body()
            state.withLock { $0 = State() }
            return value
        } catch {
            state.withLock { state in
                state.wait = min(longest, max(shortest, state.wait * 2))
                // Nodes that lost the same server do not come back in step.
                state.next = ContinuousClock.now + state.wait * Double.random(in: 0.5...1)
                state.reason = error
            }
            throw error
        }
    }
}
