import DequeModule
import Synchronization
import TillCore
import TillStorage

/// Records when recent transactions were written, in real time. The fault `staleReads` hides such transactions for a
/// while.
package final class RecentRows: Sendable {
    private struct State {
        var written: [TransactionID: Timestamp] = [:]
        var order = Deque<TransactionID>()
    }

    private let state = Mutex(State())
    private let wallClock: @Sendable () -> Timestamp
    /// The maximum number of transactions to record; the oldest are removed first.
    private static let limit = 10_000

    init(wallClock: @escaping @Sendable () -> Timestamp) { self.wallClock = wallClock }

    /// Records the new transactions of a change.
    func note(_ change: Change) {
        let new = change.rows.filter { $0.before == nil }.map(\.after.id)
        guard !new.isEmpty else { return }
        let realTime = wallClock()
        state.withLock { state in
            for id in new where state.written.updateValue(realTime, forKey: id) == nil { state.order.append(id) }
            while state.order.count > Self.limit {
                if let oldest = state.order.popFirst() { state.written[oldest] = nil }
            }
        }
    }

    /// Removes all transactions from this record.
    func clear() { state.withLock { $0 = State() } }

    /// Whether a transaction was written within the last milliseconds.
    package func isYounger(_ id: TransactionID, than milliseconds: Int) -> Bool {
        let realTime = wallClock()
        return state.withLock { state in
            state.written[id].map { realTime.milliseconds - $0.milliseconds < Int64(milliseconds) } ?? false
        }
    }
}
