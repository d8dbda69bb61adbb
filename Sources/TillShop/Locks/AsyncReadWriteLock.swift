import Synchronization

/// A read-write lock for the shop. Ordinary operations hold it in shared mode; a reset, restore or import, which
/// replaces all data, holds it exclusively.
///
/// The lock is taken once, at the boundary where work enters the shop: by a request, a tick of the ticker, or the
/// record of a delivery. A task that holds the shared lock must not take it again, because it would wait for an
/// exclusive caller that waits for the task; debug builds stop at such a mistake. Take this lock before any other lock.
package final class AsyncReadWriteLock: Sendable {
    /// A number that every exclusive run increments. Data that was read in one epoch must not be written in another,
    /// because all data was replaced in between.
    typealias Epoch = Int

    private struct State {
        var inside = 0
        var isExclusive = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var waitingToBeAlone: [CheckedContinuation<Void, Never>] = []
        var epoch: Epoch = 0
    }

    #if DEBUG
    /// Marks a task as holding the shared lock, until its call of `shared` returns.
    private final class Pass: Sendable {
        let isOpen = Atomic<Bool>(true)
    }

    @TaskLocal private static var pass: Pass?
    #endif

    private let state = Mutex(State())

    /// The current epoch.
    var epoch: Epoch { state.withLock { $0.epoch } }
    /// The current epoch; nil during an exclusive run, which may be replacing data.
    var steadyEpoch: Epoch? { state.withLock { $0.isExclusive ? nil : $0.epoch } }
    /// The number of callers that hold the shared lock.
    var inside: Int { state.withLock { $0.inside } }
    /// The number of callers that wait for the shared lock.
    var waiting: Int { state.withLock { $0.waiting.count } }
    /// The number of callers that wait for the exclusive lock.
    var waitingToBeAlone: Int { state.withLock { $0.waitingToBeAlone.count } }

    /// Runs a body under the shared lock.
    ///
    /// - Parameter aheadOfWriters: whether to overtake waiting exclusive callers; for work that holders of the lock
    ///   wait for.
    package func shared<Value>(
        aheadOfWriters: Bool = false,
        _ body: () async throws -> Value
    ) async rethrows -> Value {
        #if DEBUG
        precondition(Self.pass?.isOpen.load(ordering: .relaxed) != true, "a task takes the lock that it holds")
        #endif
        await withCheckedContinuation { going in
            let isFree = state.withLock { state in
                guard !state.isExclusive, state.waitingToBeAlone.isEmpty || aheadOfWriters else {
                    state.waiting.append(going)
                    return false
                }
                state.inside += 1
                return true
            }
            if isFree { going.resume() }
        }
        defer { leave() }
        #if DEBUG
        let pass = Pass()
        defer { pass.isOpen.store(false, ordering: .relaxed) }
        return try await Self.$pass.withValue(pass, operation: body)
        #else
        return try await body()
        #endif
    }

    /// Runs a body under the exclusive lock, and then begins a new epoch. The epoch begins afterwards, because until
    /// then callers without the lock may still read the old data.
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

    private func leave() {
        let next: CheckedContinuation<Void, Never>? = state.withLock { state in
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
            // Shared callers that waited during the exclusive run go before the next exclusive caller.
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
