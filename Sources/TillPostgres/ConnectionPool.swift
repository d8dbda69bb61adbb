import Foundation
import Synchronization

/// A bounded number of connections, each on a thread of its own, and a bounded queue in front of them.
///
/// Libpq waits for the network; it does so on these threads and never on those of Swift's tasks. A thread is started
/// when an errand finds none that is free, and takes errands in their order.
final class ConnectionPool: Sendable {
    private let queue: ErrandQueue

    init(_ url: DatabaseURL, _ settings: PostgresSettings) {
        queue = ErrandQueue(url, settings)
    }

    deinit { queue.close() }

    /// Does something on a connection. A cancelled task's statement is cancelled.
    ///
    /// - Throws: `CancellationError`; `PostgresRefused` when there is no connection; otherwise what the work throws.
    func perform<Answer: Sendable>(_ work: @escaping @Sendable (Session) throws -> Answer) async throws -> Answer {
        try Task.checkCancellation()
        let waiting = Mutex<Errand?>(nil)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Answer, any Error>) in
                let errand = Errand(until: queue.deadline()) { loan in
                    continuation.resume(with: Self.answer(to: loan, work))
                }
                waiting.withLock { $0 = errand }
                queue.add(errand)
                // A cancellation that came before there was an errand found nothing to end.
                if Task.isCancelled { queue.cancel(errand) }
            }
        } onCancel: {
            if let errand = waiting.withLock({ $0 }) { queue.cancel(errand) }
        }
    }

    private static func answer<Answer>(
        to loan: Result<Loan, any Error>,
        _ work: (Session) throws -> Answer
    ) -> Result<Answer, any Error> {
        Result {
            let loan = try loan.get()
            do {
                return try work(loan.session)
            } catch let failure as PostgresFailure where failure.isCanceled && loan.errand.isCanceled {
                throw CancellationError()
            }
        }
    }

    /// Lets no more errands in, lets those at work end, and closes the connections.
    func close() async {
        queue.close()
        await queue.ended()
    }
}
