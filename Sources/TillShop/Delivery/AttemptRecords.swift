import Logging
import TillStorage

/// Notes attempts in groups: while one transaction is being made durable, the attempts that end meanwhile wait and go
/// together in the next.
actor AttemptRecords {
    private let storage: any Storage
    private let logger: Logger
    private var waiting: [(delivery: Delivery, era: Int64?, done: CheckedContinuation<Void, Never>)] = []
    private var isWriting = false

    init(storage: any Storage, logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// Returns when the attempt is durable. One that could not be noted is made again: a receiver may see a duplicate.
    ///
    /// - Parameter era: in which its notification was read; in another it is not noted.
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
                logger.error("attempts were not noted", metadata: ["cause": "\(error.logText)"])
            }
            for item in group { item.done.resume() }
        }
        isWriting = false
    }
}
