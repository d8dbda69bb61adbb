import Foundation
import Synchronization

/// Work that needs a connection, and the task that waits for its result.
///
/// A work item is first waiting, then running, and then finished. Each transition happens once. If the thread, the
/// deadline and a cancellation compete for a transition, the first of them wins.
final class WorkItem: Sendable {
    /// The instant until which the work item may wait for a connection.
    let deadline: ContinuousClock.Instant
    private let phase = Mutex(Phase.waiting)
    private let work: @Sendable (Result<CheckedOutConnection, any Error>) -> Void

    private enum Phase {
        case waiting
        case running(CancelHandle)
        /// The server was asked to cancel the running statement.
        case canceled
        case over
    }

    /// - Parameter work: Called exactly once, either with a connection on that connection's thread, or with the reason
    ///   why there is no connection.
    init(
        until deadline: ContinuousClock.Instant,
        _ work: @escaping @Sendable (Result<CheckedOutConnection, any Error>) -> Void
    ) {
        self.deadline = deadline
        self.work = work
    }

    /// Runs the work item on a connection.
    ///
    /// - Returns: Whether the connection can be used again. It cannot after a cancellation, because the cancellation
    ///   may reach the server late and stop the statement of another work item.
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

    /// Fails the work item if it has not begun. If it has begun, this does nothing.
    ///
    /// - Returns: Whether the work item had not begun.
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

    /// Cancels the work item. A waiting item ends at once; for a running item, this sends a request to the server.
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

/// A connection that a work item uses until the item ends.
struct CheckedOutConnection {
    let session: Session
    let workItem: WorkItem
}
