import Logging
import TillStorage

/// Notes attempts in groups: while one transaction is being made durable, the attempts that end meanwhile wait and go
/// together in the next.
actor AttemptRecords {
    private let storage: any Storage
    private let logger: Logger
    private var waiting: [(Delivery, CheckedContinuation<Void, Never>)] = []
    private var isWriting = false

    init(storage: any Storage, logger: Logger) {
        self.storage = storage
        self.logger = logger
    }

    /// Returns when the attempt is durable. One that could not be noted is made again: a receiver may see a duplicate.
    func note(_ delivery: Delivery) async {
        await withCheckedContinuation { done in
            waiting.append((delivery, done))
            guard !isWriting else { return }
            isWriting = true
            Task { await write() }
        }
    }

    private func write() async {
        while !waiting.isEmpty {
            let group = waiting
            waiting.removeAll()
            do {
                try await storage.record(group.map(\.0))
            } catch {
                logger.error("attempts were not noted", metadata: ["cause": "\(error)"])
            }
            for (_, done) in group { done.resume() }
        }
        isWriting = false
    }
}
