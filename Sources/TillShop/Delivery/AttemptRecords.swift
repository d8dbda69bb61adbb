import Logging
import TillStorage

/// Records delivery attempts in groups. Attempts that end while a database transaction is being written are recorded
/// together in the next one.
actor AttemptRecords {
    private let store: any DeliveryStore
    private let logger: Logger
    private var waiting: [(delivery: Delivery, epoch: Int64?, done: CheckedContinuation<Void, Never>)] = []
    private var isWriting = false

    init(store: any DeliveryStore, logger: Logger) {
        self.store = store
        self.logger = logger
    }

    /// Records an attempt, and returns when it is durable. If an attempt cannot be recorded, the server repeats it, so
    /// the endpoint may receive a duplicate.
    ///
    /// - Parameter epoch: the epoch in which the notification was read. If it is over, the attempt is not recorded.
    func note(_ delivery: Delivery, epoch: Int64?) async {
        await withCheckedContinuation { done in
            waiting.append((delivery, epoch, done))
            guard !isWriting else { return }
            isWriting = true
            Task { await write() }
        }
    }

    private func write() async {
        while !waiting.isEmpty {
            let epoch = waiting[0].epoch
            let group = waiting.filter { $0.epoch == epoch }
            waiting.removeAll { $0.epoch == epoch }
            do {
                try await store.record(group.map(\.delivery), epoch: epoch)
            } catch {
                logger.error("delivery attempts could not be recorded", metadata: ["cause": "\(error.logText)"])
            }
            for item in group { item.done.resume() }
        }
        isWriting = false
    }
}
