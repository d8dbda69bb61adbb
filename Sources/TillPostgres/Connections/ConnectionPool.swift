import Foundation
import Synchronization
import TillStorage

/// A limited number of connections, each with its own thread, and a queue of limited length for the work items.
///
/// Libpq blocks while it waits for the network. It does so on these threads, never on Swift's task threads. The pool
/// starts a thread if a work item finds no free one. Threads take work items in the order of their arrival.
final class ConnectionPool: Sendable {
    private let queue: ConnectionQueue

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        queue = ConnectionQueue(url, settings)
    }

    deinit { queue.close() }

    /// Runs `work` on a connection. If the task is cancelled, the running statement is cancelled too.
    ///
    /// - Throws: `CancellationError`; `PostgresRefused` if there is no connection; otherwise the error of `work`.
    func perform<Answer: Sendable>(_ work: @escaping @Sendable (Session) throws -> Answer) async throws -> Answer {
        try Task.checkCancellation()
        let waiting = Mutex<WorkItem?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Answer, any Error>) in
                let workItem = WorkItem(until: queue.deadline()) { checkedOut in
                    continuation.resume(with: Self.answer(to: checkedOut, work))
                }
                waiting.withLock { $0 = workItem }
                queue.add(workItem)
                // A cancellation before this line found no work item that it could cancel.
                if Task.isCancelled { queue.cancel(workItem) }
            }
        } onCancel: {
            if let workItem = waiting.withLock({ $0 }) { queue.cancel(workItem) }
        }
    }

    private static func answer<Answer>(
        to checkedOut: Result<CheckedOutConnection, any Error>,
        _ work: (Session) throws -> Answer
    ) -> Result<Answer, any Error> {
        Result {
            let checkedOut = try checkedOut.get()
            do {
                return try work(checkedOut.session)
            } catch let failure as PostgresFailure where failure.isCanceled && checkedOut.workItem.isCanceled {
                throw CancellationError()
            }
        }
    }

    /// The use of the connections at present.
    var use: ConnectionUse { queue.use }

    /// Accepts no more work items, waits for running work items, and closes the connections.
    func close() async {
        queue.close()
        await queue.ended()
    }
}
