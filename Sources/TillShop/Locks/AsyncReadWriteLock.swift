import Synchronization

/// The data that a run under the exclusive lock has replaced.
enum ReplacedData: Equatable, Sendable {
    case nothing
    /// The data of one app.
    case app(String)
    case everything
}

/// A read-write lock for the shop. Ordinary operations hold it in shared mode; a reset, restore or import, which
/// replaces data, holds it exclusively.
///
/// The lock is taken once, at the boundary where work enters the shop: by a request, a tick of the ticker, or the
/// record of a delivery. A task that holds the shared lock must not take it again, because it would wait for an
/// exclusive caller that waits for the task; debug builds stop at such a mistake. Take this lock before any other lock.
package final class AsyncReadWriteLock: Sendable {
    /// A number that increases when the data of an app was replaced. Data of an app that was read in one epoch must not
    /// be written in another.
    typealias Epoch = Int

    private struct State {
        var inside = 0
        var isExclusive = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var waitingToBeAlone: [CheckedContinuation<Void, Never>] = []
        /// The number of times that all data was replaced.
        var epoch: Epoch = 0
        /// The number of times that the data of only this app was replaced, since all data was replaced.
        var epochs: [String: Epoch] = [:]

        func epoch(of app: String) -> Epoch { epoch + epochs[app, default: 0] }

        mutating func begin(_ replaced: ReplacedData) {
            switch replaced {
            case .nothing: break
            case .app(let app): epochs[app, default: 0] += 1
            case .everything:
                // More than the epoch of any app.
                epoch += (epochs.values.max() ?? 0) + 1
                epochs = [:]
            }
            // Tests may create and delete any number of apps.
            if epochs.count > AsyncReadWriteLock.maxEpochs { begin(.everything) }
        }
    }

    /// The number of apps with an epoch of their own, above which all apps begin a new epoch.
    private static let maxEpochs = 10_000

    #if DEBUG
    /// Marks a task as holding the shared lock, until its call of `shared` returns.
    private final class Pass: Sendable {
        let isOpen = Atomic<Bool>(true)
    }

    @TaskLocal private static var pass: Pass?
    #endif

    private let state = Mutex(State())

    /// The current epoch of an app.
    func epoch(of app: String) -> Epoch { state.withLock { $0.epoch(of: app) } }
    /// The current epoch of an app; nil during an exclusive run, which may be replacing data.
    func steadyEpoch(of app: String) -> Epoch? {
        state.withLock { $0.isExclusive ? nil : $0.epoch(of: app) }
    }
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

    /// Runs a body under the exclusive lock. The body replaces no data.
    func exclusive<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        try await replacing { _ in try await body() }
    }

    /// Runs a body under the exclusive lock, and then begins a new epoch of the apps whose data it replaced. The epoch
    /// begins afterwards, because until then callers without the lock may still read the old data.
    ///
    /// - Parameter body: says what it replaces before it does so. An error does not prevent the new epoch.
    func replacing<Value>(_ body: (inout ReplacedData) async throws -> Value) async rethrows -> Value {
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
        var replaced = ReplacedData.nothing
        defer { leaveExclusive(replaced) }
        return try await body(&replaced)
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

    private func leaveExclusive(_ replaced: ReplacedData) {
        let next: [CheckedContinuation<Void, Never>] = state.withLock { state in
            state.begin(replaced)
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
