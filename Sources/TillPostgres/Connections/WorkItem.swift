import Foundation
import Synchronization

/// Work for a connection, and the task that waits for its result.
///
/// Its states are waiting, running and over. Each transition happens once, and the first of the worker, the deadline
/// and a cancellation wins.
final class WorkItem: Sendable {
    /// How long it may wait for a connection.
    let deadline: ContinuousClock.Instant
    private let phase = Mutex(Phase.waiting)
    private let work: @Sendable (Result<CheckedOutConnection, any Error>) -> Void

    private enum Phase {
        case waiting
        case running(CancelHandle)
        /// The server was asked to cancel it.
        case canceled
        case over
    }

    /// - Parameter work: called exactly once: with a connection, on its thread, or with the reason why there is none.
    init(
        until deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (Result<CheckedOutConnection, any Error>) -> Void
    ) {
        self.deadline = deadline
        self.work = work
    }

    /// Runs on a connection.
    ///
    /// - Returns: whether the connection can be reused. Not after a cancellation: it may reach the server late and end
    ///   another item's statement.
    func run(on session: Session) -> Bool {
        let starts = phase.withLock { phase in
            guard case .waiting = phase else { return false }
            phase = .running(session.cancellation)
            return true
        }
        guard starts else { return true }
        work(.success(CheckedOutConnection(session: session, workItem: self)))
        return phase.withLock { phase in
            defer { phase = .over }
            if case .canceled = phase { return false }
            return true
        }
    }

    /// Fails the item if it has not begun; later it does nothing.
    ///
    /// - Returns: whether it had not begun.
    @discardableResult
    func fail(_ error: any Error) -> Bool {
        let wasWaiting = phase.withLock { phase in
            guard case .waiting = phase else { return false }
            phase = .over
            return true
        }
        if wasWaiting { work(.failure(error)) }
        return wasWaiting
    }

    /// Cancels it: at once while it waits, by a request to the server while it runs.
    func cancel() {
        if fail(CancellationError()) { return }
        let handle: CancelHandle? = phase.withLock { phase in
            guard case .running(let handle) = phase else { return nil }
            phase = .canceled
            return handle
        }
        guard let handle else { return }
        Thread.detachNewThread { handle.send() }
    }

    var isCanceled: Bool {
        phase.withLock { phase in
            if case .canceled = phase { return true }
            return false
        }
    }
}

/// A connection for as long as a work item runs.
struct CheckedOutConnection {
    let session: Session
    let workItem: WorkItem
}
