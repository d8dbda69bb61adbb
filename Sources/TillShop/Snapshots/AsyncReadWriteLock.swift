import Synchronization

/// A read-write lock for the shop: ordinary operations share it, and replacing the whole state (reset, restore, import)
/// holds it exclusively.
///
/// A task that holds the lock may enter again, also from child tasks, while an exclusive caller waits. So take other
/// locks only inside this one; otherwise a task that holds such a lock could wait here for a task that needs it.
final class AsyncReadWriteLock: Sendable {
    /// Each exclusive run begins a new epoch. Data read in one epoch must not be written in another, because everything
    /// was replaced in between.
    typealias Epoch = Int

    private struct State {
        var inside = 0
        var isExclusive = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var waitingToBeAlone: [CheckedContinuation<Void, Never>] = []
        var epoch: Epoch = 0
    }

    /// Marks a task as holding the lock, until the call that entered returns.
    private final class Pass: Sendable {
        let isOpen = Atomic<Bool>(true)
    }

    @TaskLocal private static var pass: Pass?

    private let state = Mutex(State())

    /// The current epoch.
    var epoch: Epoch { state.withLock { $0.epoch } }
    /// How many callers hold the shared lock.
    var inside: Int { state.withLock { $0.inside } }
    /// How many callers wait for the shared lock.
    var waiting: Int { state.withLock { $0.waiting.count } }
    /// How many callers wait for the exclusive lock.
    var waitingToBeAlone: Int { state.withLock { $0.waitingToBeAlone.count } }

    /// Runs a body under the shared lock.
    ///
    /// - Parameter aheadOfWriters: enters before waiting exclusive callers; for work that the present holders wait for.
    func shared<Value>(aheadOfWriters: Bool = false, _ body: () async throws -> Value) async rethrows -> Value {
        await enter(aheadOfWriters: aheadOfWriters)
        let pass = Pass()
        defer { leave(pass) }
        return try await Self.$pass.withValue(pass, operation: body)
    }

    /// Runs a body under the exclusive lock. A new epoch begins when it ends, because callers outside the lock may
    /// still have read the old state meanwhile.
    func exclusive<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { going in
            let isFree = state.withLock { state in
                guard state.inside > 0 || state.isExclusive else {
                    state.isExclusive = true
                    return true
                }
                state.waitingToBeAlone.append(going)
                return false
            }
            if isFree { going.resume() }
        }
        defer { leaveExclusive() }
        return try await body()
    }

    private func enter(aheadOfWriters: Bool) async {
        await withCheckedContinuation { going in
            let isFree = state.withLock { state in
                // A pass is closed under this lock, so an open pass means that the caller is inside.
                let goesFirst = aheadOfWriters || Self.pass?.isOpen.load(ordering: .relaxed) == true
                guard !state.isExclusive, state.waitingToBeAlone.isEmpty || goesFirst else {
                    state.waiting.append(going)
                    return false
                }
                state.inside += 1
                return true
            }
            if isFree { going.resume() }
        }
    }

    private func leave(_ pass: Pass) {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
            pass.isOpen.store(false, ordering: .relaxed)
            state.inside -= 1
            guard state.inside == 0, !state.waitingToBeAlone.isEmpty else { return nil }
            state.isExclusive = true
            return state.waitingToBeAlone.removeFirst()
        }
        next?.resume()
    }

    private func leaveExclusive() {
        let next: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.epoch += 1
            // Shared callers that waited meanwhile run before the next exclusive caller.
            state.isExclusive = false
            if state.waiting.isEmpty {
                guard !state.waitingToBeAlone.isEmpty else { return [] }
                state.isExclusive = true
                return [state.waitingToBeAlone.removeFirst()]
            }
            state.inside = state.waiting.count
            defer { state.waiting = [] }
            return state.waiting
        }
        for going in next { going.resume() }
    }
}
