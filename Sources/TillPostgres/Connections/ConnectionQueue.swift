import Foundation
import Synchronization
import TillStorage

/// The queue of work items that wait for a connection, and the threads that run them.
final class ConnectionQueue: Sendable {
    private let settings: PostgresSettings
    private let backOff: BackOff
    private let primaryTracker: PrimaryTracker
    private let state = Mutex(State())
    /// The semaphore that is signalled once for each new work item.
    private let workAvailable = DispatchSemaphore(value: 0)

    private struct State {
        var waiting: [WorkItem] = []
        var workers = 0
        var idle = 0
        var isWatched = false
        var isClosed = false
        var closers: [CheckedContinuation<Void, Never>] = []
    }

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        self.settings = settings
        backOff = BackOff(settings)
        primaryTracker = PrimaryTracker(url, settings)
    }

    /// The instant until which a work item that is added now may wait.
    func deadline() -> ContinuousClock.Instant { .now + settings.maxWait }

    /// The use of the connections at present.
    var use: ConnectionUse {
        state.withLock { state in
            ConnectionUse(
                inUse: state.workers - state.idle,
                limit: settings.connections,
                waiting: state.waiting.count
            )
        }
    }

    /// Adds a work item, and starts a thread if no thread is free.
    func add(_ workItem: WorkItem) {
        enum Verdict {
            case refused(PostgresRefused)
            case taken(newWorker: Bool, newWatch: Bool)
        }
        let verdict: Verdict = state.withLock { state in
            if state.isClosed { return .refused(.closed) }
            if state.waiting.count >= settings.maxWaiting { return .refused(.crowded(state.waiting.count)) }
            state.waiting.append(workItem)
            let needsWorker = state.waiting.count > state.idle && state.workers < settings.connections
            if needsWorker {
                state.workers += 1
                state.idle += 1
            }
            let needsWatch = !needsWorker && !state.isWatched && state.waiting.count > state.idle
            if needsWatch { state.isWatched = true }
            return .taken(newWorker: needsWorker, newWatch: needsWatch)
        }
        switch verdict {
        case .refused(let reason): workItem.fail(reason)
        case .taken(let newWorker, let newWatch):
            workAvailable.signal()
            if newWorker { Thread.detachNewThread { self.work() } }
            if newWatch { Task { await self.watch() } }
        }
    }

    /// Cancels the work item of a task that was cancelled.
    func cancel(_ workItem: WorkItem) {
        workItem.cancel()
        state.withLock { $0.waiting.removeAll { $0 === workItem } }
    }

    /// Accepts no more work items. Waiting work items fail, and running work items continue.
    func close() {
        let (waiting, workers) = state.withLock { state in
            defer { state.waiting = [] }
            let wasClosed = state.isClosed
            state.isClosed = true
            return (state.waiting, wasClosed ? 0 : state.workers)
        }
        for workItem in waiting { workItem.fail(PostgresRefused.closed) }
        for _ in 0..<workers { workAvailable.signal() }
    }

    /// Returns after the last thread has ended.
    func ended() async {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.workers > 0 { state.closers.append(continuation) }
                return state.workers == 0
            }
            if isOver { continuation.resume() }
        }
    }

    // MARK: The work of one thread

    private func work() {
        var session: Session?
        while true {
            workAvailable.wait()
            let next: WorkItem?? = state.withLock { state in
                if state.isClosed { return .none }
                guard !state.waiting.isEmpty else { return .some(nil) }
                state.idle -= 1
                return state.waiting.removeFirst()
            }
            guard let next else { break }
            guard let workItem = next else { continue }
            session = serve(workItem, session)
            state.withLock { $0.idle += 1 }
        }
        session = nil
        let closers = state.withLock { state in
            state.workers -= 1
            return state.workers == 0 ? state.closers : []
        }
        for closer in closers { closer.resume() }
    }

    /// Runs a work item on a live connection, and opens a connection first if necessary.
    ///
    /// - Returns: The connection, if it can be used again.
    private func serve(_ workItem: WorkItem, _ session: Session?) -> Session? {
        do {
            let living = session.flatMap { $0.isAlive() ? $0 : nil }
            let session = try living ?? backOff.attempt { try primaryTracker.connect() }
            let isClean = workItem.run(on: session)
            return isClean && session.isIdle() ? session : nil
        } catch {
            workItem.fail(error)
            return nil
        }
    }

    // MARK: Expired work items

    /// Fails the work items that have waited too long. One task does this as long as any item waits. The items are in
    /// the order of their deadlines.
    private func watch() async {
        while true {
            let (late, next) = state.withLock { state in
                let now = ContinuousClock.now
                let late = state.waiting.prefix { $0.deadline <= now }
                state.waiting.removeFirst(late.count)
                if state.waiting.isEmpty { state.isWatched = false }
                return (Array(late), state.waiting.first?.deadline)
            }
            for workItem in late { workItem.fail(PostgresRefused.waitedTooLong(settings.maxWait)) }
            guard let next else { return }
            try? await Task.sleep(until: next, clock: .continuous)
        }
    }
}
