import Foundation
import Synchronization

/// A bounded number of connections, each on a thread of its own, with a bounded queue in front of them.
///
/// Libpq blocks while it waits for the network; it does so on these threads and never on Swift's task threads. A thread
/// is started when a work item finds no free one. Threads take work items in order.
final class ConnectionPool: Sendable {
    private let queue: ConnectionQueue

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        queue = ConnectionQueue(url, settings)
    }

    deinit { queue.close() }

    /// Runs `work` on a connection. If the task is cancelled, its statement is cancelled.
    ///
    /// - Throws: `CancellationError`; `PostgresRefused` when there is no connection; otherwise what the work throws.
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
                // A cancellation before this point found no work item to cancel.
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

    /// Accepts no more work items, waits for the running ones, and closes the connections.
    func close() async {
        queue.close()
        await queue.ended()
    }
}
