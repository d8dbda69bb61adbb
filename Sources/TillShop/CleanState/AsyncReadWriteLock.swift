import Synchronization

/// Lets acts go on side by side, and whoever puts another state in place of the present one go alone.
///
/// Whoever is inside may go in again, also in child tasks, while somebody waits to be alone: locks are taken inside
/// only, so that nobody who holds one waits outside for those who want it.
final class AsyncReadWriteLock: Sendable {
    /// What was read in one era is not written in another: between them everything was replaced.
    typealias Era = Int

    private struct State {
        var inside = 0
        var isAlone = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var waitingToBeAlone: [CheckedContinuation<Void, Never>] = []
        var era: Era = 0
    }

    /// Says that a task is inside; it is closed when the one who went in goes out.
    private final class Pass: Sendable {
        let isOpen = Atomic<Bool>(true)
    }

    @TaskLocal private static var pass: Pass?

    private let state = Mutex(State())

    /// The present era.
    var era: Era { state.withLock { $0.era } }
    /// How many are inside, side by side.
    var inside: Int { state.withLock { $0.inside } }
    /// How many wait to go in.
    var waiting: Int { state.withLock { $0.waiting.count } }
    /// How many wait to be alone.
    var waitingToBeAlone: Int { state.withLock { $0.waitingToBeAlone.count } }

    /// Runs a body side by side with others.
    ///
    /// - Parameter pushing: goes in before those who wait to be alone: for what those inside wait for.
    func shared<Value>(pushing: Bool = false, _ body: () async throws -> Value) async rethrows -> Value {
        await enter(pushing: pushing)
        let pass = Pass()
        defer { leave(pass) }
        return try await Self.$pass.withValue(pass, operation: body)
    }

    /// Runs a body while nobody else is inside. A new era begins at its end: what somebody reads meanwhile, who is not
    /// inside, may still be of the old one.
    func exclusive<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { going in
            let isFree = state.withLock { state in
                guard state.inside > 0 || state.isAlone else {
                    state.isAlone = true
                    return true
                }
                state.waitingToBeAlone.append(going)
                return false
            }
            if isFree { going.resume() }
        }
        defer { leaveAlone() }
        return try await body()
    }

    private func enter(pushing: Bool) async {
        await withCheckedContinuation { going in
            let isFree = state.withLock { state in
                // A pass is closed under this lock, so an open one means that somebody is inside.
                let goesFirst = pushing || Self.pass?.isOpen.load(ordering: .relaxed) == true
                guard !state.isAlone, state.waitingToBeAlone.isEmpty || goesFirst else {
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
            state.isAlone = true
            return state.waitingToBeAlone.removeFirst()
        }
        next?.resume()
    }

    private func leaveAlone() {
        let next: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.era += 1
            // Those who waited meanwhile come before the next who wants to be alone.
            state.isAlone = false
            if state.waiting.isEmpty {
                guard !state.waitingToBeAlone.isEmpty else { return [] }
                state.isAlone = true
                return [state.waitingToBeAlone.removeFirst()]
            }
            state.inside = state.waiting.count
            defer { state.waiting = [] }
            return state.waiting
        }
        for going in next { going.resume() }
    }
}
