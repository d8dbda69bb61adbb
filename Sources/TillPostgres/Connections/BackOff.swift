import Synchronization

/// Limits the rate of connection attempts, so that clients do not overload a server that is down. Between two attempts,
/// callers fail at once with the last error.
final class BackOff: Sendable {
    private let state = Mutex(State())
    private let shortest: Duration
    private let maxWait: Duration

    private struct State {
        var wait: Duration = .zero
        var next: ContinuousClock.Instant?
        var reason: (any Error)?
    }

    init(_ settings: PostgresSettings) {
        shortest = settings.shortestBackOff
        maxWait = settings.maxBackOff
    }

    /// Runs `body` if an attempt is permitted now.
    ///
    /// - Throws: The error of this attempt, or the error of the last attempt.
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
                state.wait = min(maxWait, max(shortest, state.wait * 2))
                // Random jitter prevents that all nodes that lost the same server reconnect at the same instant.
                state.next = ContinuousClock.now + state.wait * Double.random(in: 0.5...1)
                state.reason = error
            }
            throw error
        }
    }
}
