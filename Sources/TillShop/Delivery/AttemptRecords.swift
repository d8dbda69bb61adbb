import Logging
import TillStorage

/// Records attempts in groups: attempts that end while one transaction is being written are recorded together in the
/// next.
actor AttemptRecords {
    private let storage: any Storage
    private let logger: Logger
    private var waiting: [(delivery: Delivery, epoch: Int64?, done: CheckedContinuation<Void, Never>)] = []
    private var isWriting = false

    init(storage: any Storage, logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// Returns when the attempt is durable. An attempt that could not be recorded is repeated, so the endpoint may
    /// receive a duplicate.
    ///
    /// - Parameter epoch: the epoch in which its notification was read; in another epoch it is not recorded.
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
                try await storage.record(group.map(\.delivery), epoch: epoch)
            } catch {
                logger.error("delivery attempts could not be recorded", metadata: ["cause": "\(error.logText)"])
            }
            for item in group { item.done.resume() }
        }
        isWriting = false
    }
}
