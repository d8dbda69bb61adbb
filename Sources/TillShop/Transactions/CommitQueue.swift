import DequeModule
import TillStorage

/// Groups the commits of simultaneous requests: changes that arrive while one transaction is being written are
/// committed together in the next.
actor CommitQueue {
    private struct Waiting {
        let change: Change
        let answer: CheckedContinuation<Result<Void, CommitFailure>, Never>
    }

    private let storage: any Storage
    private let room: DiskSpaceMonitor
    private var waiting = Deque<Waiting>()
    private var isCommitting = false
    /// In larger groups the cost of written pages exceeds the savings in syncs.
    private static let maxInGroup = 128
    /// New changes are rejected while so many are waiting.
    private static let maxWaiting = 8_192

    init(storage: any Storage, room: DiskSpaceMonitor) {
        self.storage = storage
        self.room = room
    }

    /// Returns when the change is durable or has failed.
    func commit(_ change: Change) async -> Result<Void, CommitFailure> {
        guard waiting.count < Self.maxWaiting else {
            return .failure(.engine("more than \(Self.maxWaiting) commits are waiting"))
        }
        return await withCheckedContinuation { answer in
            waiting.append(Waiting(change: change, answer: answer))
            guard !isCommitting else { return }
            isCommitting = true
            Task { await work() }
        }
    }

    private func work() async {
        while !waiting.isEmpty {
            let group = Array(waiting.prefix(Self.maxInGroup))
            waiting.removeFirst(group.count)
            let results = await storage.commit(group.map(\.change))
            room.note(results)
            for (item, result) in zip(group, results) { item.answer.resume(returning: result) }
        }
        isCommitting = false
    }
}
