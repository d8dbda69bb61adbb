import Logging
import Synchronization
import TillStorage

/// Records delivery attempts in groups. Attempts that end while a database transaction is being written are recorded
/// together in the next one.
final class AttemptRecords: Sendable {
    private struct Waiting {
        let delivery: Delivery
        let epoch: Shop.Epoch
        /// Resumed with whether another call recorded the attempt; nil if it is this call's turn to write.
        let turn: CheckedContinuation<Bool?, Never>
    }

    private let gate: AsyncReadWriteLock
    private let logger: Logger
    private let store: DeliveryStore
    private let state = Mutex<(waiting: [Waiting], isWriting: Bool)>(([], false))

    init(gate: AsyncReadWriteLock, logger: Logger, store: DeliveryStore) {
        (self.gate, self.logger, self.store) = (gate, logger, store)
    }

    /// Records an attempt, and returns when it is durable; false if it cannot be recorded. In this case the server
    /// repeats it, so the endpoint may receive a duplicate.
    ///
    /// - Parameter epoch: the epoch in which the delivery was read. If it is over, the attempt is not recorded.
    func record(_ delivery: Delivery, _ epoch: Shop.Epoch) async -> Bool {
        let turn: Bool? = await withCheckedContinuation { turn in
            let isFirst = state.withLock { state in
                defer { state.isWriting = true }
                if state.isWriting { state.waiting.append(Waiting(delivery: delivery, epoch: epoch, turn: turn)) }
                return !state.isWriting
            }
            if isFirst { turn.resume(returning: nil) }
        }
        if let turn { return turn }
        let group = state.withLock { state in
            defer { state.waiting.removeAll { $0.epoch.everywhere == epoch.everywhere } }
            return state.waiting.filter { $0.epoch.everywhere == epoch.everywhere }
        }
        var isRecorded = true
        do {
            // Enters before a waiting exclusive caller, because an advance with the shared lock may wait for this.
            try await gate.shared(aheadOfWriters: true) {
                let attempts = [(delivery, epoch)] + group.map { ($0.delivery, $0.epoch) }
                let current = attempts.filter { gate.epoch(of: $0.scope.app) == $1.here }.map(\.0)
                if !current.isEmpty { try await store.record(current, epoch.everywhere) }
            }
        } catch {
            isRecorded = false
            logger.error("delivery attempts could not be recorded", metadata: ["cause": "\(error.logText)"])
        }
        for item in group { item.turn.resume(returning: isRecorded) }
        let next = state.withLock { state in
            state.isWriting = !state.waiting.isEmpty
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst()
        }
        next?.turn.resume(returning: nil)
        return isRecorded
    }
}
