import DequeModule
import TillStorage

/// Groups the commits of requests that come at the same time: while one transaction is being made durable, the changes
/// that arrive wait and go together in the next.
actor CommitQueue {
    private struct Waiting {
        let change: Change
        let answer: CheckedContinuation<Result<Void, CommitFailure>, Never>
    }

    private let storage: any Storage
    private let room: RoomWatch
    private var waiting = Deque<Waiting>()
    private var isCommitting = false
    /// More changes in one transaction than this cost more in written pages than they save in syncs.
    private static let mostInGroup = 128
    /// Beyond this many waiting changes a new one is turned away.
    private static let mostWaiting = 8_192

    init(storage: any Storage, room: RoomWatch) {
        self.storage = storage
        self.room = room
    }

    /// Returns when the change is durable, or was not made.
    func commit(_ change: Change) async -> Result<Void, CommitFailure> {
        guard waiting.count < Self.mostWaiting else {
            return .failure(.engine("more than \(Self.mostWaiting) commits are waiting"))
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
            let group = Array(waiting.prefix(Self.mostInGroup))
            waiting.removeFirst(group.count)
            let results = await storage.commit(group.map(\.change))
            room.note(results)
            for (item, result) in zip(group, results) { item.answer.resume(returning: result) }
        }
        isCommitting = false
    }
}
