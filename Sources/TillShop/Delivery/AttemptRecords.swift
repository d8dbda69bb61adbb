import Logging
import TillStorage

/// Records attempts in groups: attempts that end while one transaction is being written are recorded together in the
/// next.
actor AttemptRecords {
    private let storage: any Storage
    private let logger: Logger
    private var waiting: [(delivery: Delivery, era: Int64?, done: CheckedContinuation<Void, Never>)] = []
    private var isWriting = false

    init(storage: any Storage, logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// Returns when the attempt is durable. An attempt that could not be recorded is repeated, so the endpoint may
    /// receive a duplicate.
    ///
    /// - Parameter era: the epoch in which its notification was read; in another epoch it is not recorded.
    func note(_ delivery: Delivery, era: Int64?) async {
        await withCheckedContinuation { done in
            waiting.append((delivery, era, done))
            guard !isWriting else { return }
            isWriting = true
            Task { await write() }
        }
    }

    private func write() async {
        while !waiting.isEmpty {
            let era = waiting[0].era
            let group = waiting.filter { $0.era == era }
            waiting.removeAll { $0.era == era }
            do {
                try await storage.record(group.map(\.delivery), era: era)
            } catch {
                logger.error("delivery attempts could not be recorded", metadata: ["cause": "\(error.logText)"])
            }
            for item in group { item.done.resume() }
        }
        isWriting = false
    }
}
