import Synchronization

/// Limits how many CPU-heavy tasks run at once, so that they leave processors for the shop. Others wait in FIFO order.
final class AsyncSemaphore: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let maxWaiting: Int

    /// - Parameters:
    ///   - permits: how many tasks may run at once.
    ///   - maxWaiting: how many tasks may wait; further tasks are rejected.
    init(_ permits: Int, maxWaiting: Int = .max) {
        state = Mutex(State(free: permits))
        self.maxWaiting = maxWaiting
    }

    /// Runs the work when a permit is free; nil if too many tasks are waiting.
    func run<Value>(_ work: () async throws -> Value) async rethrows -> Value? {
        guard await acquire() else { return nil }
        defer { release() }
        return try await work()
    }

    private func acquire() async -> Bool {
        enum Decision {
            case run, reject, wait
        }
        var isAccepted = true
        await withCheckedContinuation { continuation in
            let decision: Decision = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return .run
                }
                guard state.waiting.count < maxWaiting else { return .reject }
                state.waiting.append(continuation)
                return .wait
            }
            isAccepted = decision != .reject
            if decision != .wait { continuation.resume() }
        }
        return isAccepted
    }

    private func release() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
