import Synchronization

/// Lets so many through at once and makes the others wait in their order, for work that takes a processor: who asks for
/// much of it waits for himself, and the shop has room beside it.
final class Gate: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>
    private let mostWaiting: Int

    /// - Parameters:
    ///   - places: for how many there is room at once.
    ///   - mostWaiting: how many may wait; who comes after is sent away.
    init(_ places: Int, mostWaiting: Int = .max) {
        state = Mutex(State(free: places))
        self.mostWaiting = mostWaiting
    }

    /// Does something once there is room; nil when too many wait already.
    func through<Value>(_ work: () async throws -> Value) async rethrows -> Value? {
        guard await enter() else { return nil }
        defer { leave() }
        return try await work()
    }

    private func enter() async -> Bool {
        enum Way {
            case free, full, wait
        }
        var comesIn = true
        await withCheckedContinuation { continuation in
            let way: Way = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return .free
                }
                guard state.waiting.count < mostWaiting else { return .full }
                state.waiting.append(continuation)
                return .wait
            }
            comesIn = way != .full
            if way != .wait { continuation.resume() }
        }
        return comesIn
    }

    private func leave() {
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
