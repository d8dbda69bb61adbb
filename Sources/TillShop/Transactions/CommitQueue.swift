import DequeModule
import TillCore
import TillStorage

/// Groups the commits of simultaneous requests. Changes that arrive while a database transaction is being written are
/// committed together in the next transaction.
actor CommitQueue {
    fileprivate struct Waiting {
        let change: Change
        let answer: CheckedContinuation<Result<Void, CommitFailure>, Never>
    }

    private let storage: any Storage
    private let identifiers: IdentifierPool
    private let metrics: CommitMetrics
    /// Whether there is enough disk space to commit.
    nonisolated let room = DiskSpaceMonitor()
    private var waiting = Deque<Waiting>()
    private var isCommitting = false
    /// The maximum number of changes in one transaction. In larger groups, writing more pages costs more than fewer
    /// syncs save.
    private static let maxInGroup = 128
    /// The maximum number of waiting changes. If it is reached, new changes are rejected.
    private static let maxWaiting = 8_192

    init(storage: any Storage, identifiers: IdentifierPool, metrics: CommitMetrics) {
        self.storage = storage
        self.identifiers = identifiers
        self.metrics = metrics
    }

    /// Commits a change together with the audit record of the current operation, and returns when the change is durable
    /// or has failed.
    func commit(_ change: Change) async -> Result<Void, CommitFailure> {
        var change = change
        let audit = PendingAudit.current
        change.audit = change.audit ?? audit?.unwritten
        guard waiting.count < Self.maxWaiting else {
            return .failure(.temporary("more than \(Self.maxWaiting) commits are waiting"))
        }
        guard !change.foreignIdentifiers.isEmpty || !identifiers.hasReserved(change) else {
            return .failure(change.accounts.first.map { .conflict($0.account.id) } ?? .preconditionFailed)
        }
        let result = await withCheckedContinuation { answer in
            waiting.append(Waiting(change: change, answer: answer))
            guard !isCommitting else { return }
            isCommitting = true
            Task {
                while !waiting.isEmpty {
                    // The identifiers of an import are compared with those of changes that were decided before.
                    let group = Array(waiting.prefix(Self.maxInGroup)).importsLast
                    waiting.removeFirst(group.count)
                    let begin = ContinuousClock.now
                    let results = await storage.commit(group.map(\.change))
                    metrics.note(results, since: begin)
                    room.note(results)
                    for (item, result) in zip(group, results) { item.answer.resume(returning: result) }
                }
                isCommitting = false
            }
        }
        if case .success = result { audit?.noteWritten() }
        return result
    }
}

extension [CommitQueue.Waiting] {
    /// The changes in the same order, but those that reserve identifiers last.
    fileprivate var importsLast: Self {
        guard contains(where: { !$0.change.foreignIdentifiers.isEmpty }) else { return self }
        return filter(\.change.foreignIdentifiers.isEmpty) + filter { !$0.change.foreignIdentifiers.isEmpty }
    }
}
