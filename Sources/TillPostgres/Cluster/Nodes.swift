import Synchronization
import TillStorage

/// The coordination of several servers that share one database.
extension PostgresStorage {
    package func join(_ id: String, name: String, lease: Duration) async throws {
        try await transact([
            Step(.lockAlone), Step(.retireNode, Arguments(name)),
            Step(.enterNode, Arguments(id, name, lease.wholeMilliseconds)),
            Step(.announce, Arguments(NodeMessage.nodes)),
        ])
    }

    package func renew(_ id: String, seen: Int64, lease: Duration) async throws -> NodesView? {
        let attempts = settings.attempts
        return try await nodePool.perform { session in
            guard try session.run(.beatNode, Arguments(id, seen, lease.wholeMilliseconds)).first != nil else {
                return nil
            }
            if try session.run(.expiredNode).first != nil {
                // The exclusive lock waits for running commits, so no node is removed in the middle of a commit.
                try session.transact(
                    [Step(.lockAlone), Step(.reapNodes), Step(.announce, Arguments(NodeMessage.nodes))],
                    attempts: attempts
                )
            }
            let seen = try session.seen()
            return NodesView(seen: seen, leases: try session.leases())
        }
    }

    package func note(seen: Int64, by id: String) async throws {
        // This write is not durable. If the database server crashes, the value is missing only until the next renewal.
        try await transact([Step(.notDurably), Step(.noteSeen, Arguments(id, seen))])
    }

    package func seen() async throws -> [String: Int64] { try await nodePool.perform { try $0.seen() } }

    package func leases() async throws -> [Lease] { try await nodePool.perform { try $0.leases() } }

    package func leave(_ id: String) async throws {
        try await transact([Step(.leaveNode, Arguments(id)), Step(.announce, Arguments(NodeMessage.nodes))])
    }

    package func take(_ leases: [Lease]) async throws -> Set<String> {
        guard !leases.isEmpty else { return [] }
        // All nodes use the same order, so that two nodes cannot deadlock.
        let steps = leases.sorted { $0.name < $1.name }
            .map { Step(.takeLease, Arguments($0.name, $0.node, $0.body)) }
        return try await nodePool.perform { session in
            let answers = try session.pipeline([[Step(.begin)] + steps + [Step(.commit)]])
            do {
                let rows = try answers[0].get()
                try session.requireCommitted(rows.last)
                return Set(try rows.dropFirst().dropLast().compactMap { try $0.first?.text(0) })
            } catch let failed as StepFailure {
                if !session.isIdle() { _ = try session.run(.rollback) }
                // The foreign key failed, because this node is no longer registered.
                guard failed.failure.isConstraint || failed.failure.isCollision else { throw failed.failure }
                return []
            }
        }
    }

    package func release(_ names: [String], of node: String) async throws {
        try await transact(names.sorted().map { Step(.releaseLease, Arguments($0, node)) })
    }

    package func configurationVersions() async throws -> ConfigurationVersions {
        try await nodePool.perform { session in
            let counts = try session.run(.allConfigurationVersions).map { (try $0.text(0), try $0.int(1)) }
            return ConfigurationVersions(Dictionary(counts) { first, _ in first })
        }
    }

    package func replacements(after epoch: Int64) async throws -> [String: Int64] {
        try await nodePool.perform { session in
            let rows = try session.run(.replacementsAfter, Arguments(epoch)).map { (try $0.text(0), try $0.int(1)) }
            return Dictionary(rows) { first, _ in first }
        }
    }

    package var written: Int { writes.load(ordering: .relaxed) }

    package func publish(_ word: String) async throws {
        try await nodePool.perform { session in _ = try session.run(.announce, Arguments(word)) }
    }

    package func subscribe(_ receive: @escaping @Sendable (NodeSign) -> Void) { nodeSubscription.open(receive) }

    package func keepAlive(_ id: String, lease: Duration) { nodeSubscription.keepAlive(id, lease) }

    private func transact(_ steps: [Step]) async throws {
        guard !steps.isEmpty else { return }
        let attempts = settings.attempts
        try await nodePool.perform { try $0.transact(steps, attempts: attempts) }
    }

    // MARK: Writes of cached configuration

    /// Writes documents of some kinds under the task's write precondition. During the write, no node can commit a
    /// change that was decided with the old documents.
    ///
    /// - Throws: `PreconditionFailed` if the precondition no longer holds.
    func write(_ steps: [Step], changing kinds: Set<DocumentKind>) async throws {
        guard !steps.isEmpty else { return }
        let held = kinds.intersection(DocumentKind.heldInMemory).map(\.rawValue).sorted()
        let check = WritePrecondition.held.map { [Step($0)] } ?? []
        let lock = held.isEmpty ? (check.isEmpty ? [] : [Step(.lockShared)]) : [Step(.lockAlone)]
        let raise = held.map { Step(.raiseConfigurationVersion, Arguments($0)) }
        let announce = held.isEmpty ? [] : [Step(.announce, Arguments(NodeMessage.configurationVersions))]
        // The counter increases after the transaction, so that a caller who reads the new number also reads the new
        // data. It also increases after a failed transaction, because that transaction may have been committed.
        defer { if !held.isEmpty { writes.add(1, ordering: .relaxed) } }
        do {
            try await audited { try await write(lock + check + $0 + steps + raise + announce) }
        } catch let failed as StepFailure where failed.failure.isGuard {
            throw PreconditionFailed()
        }
    }
}

extension Session {
    fileprivate func leases() throws -> [Lease] {
        try run(.allLeases).map { Lease(name: try $0.text(0), node: try $0.text(1), body: try $0.text(2)) }
    }

    fileprivate func seen() throws -> [String: Int64] {
        let nodes = try run(.allNodes).map { (try $0.text(0), try $0.int(1)) }
        return Dictionary(nodes) { first, _ in first }
    }
}

extension Step {
    /// A step that succeeds only if the precondition holds. The transaction must take the lock before this step.
    init(_ writePrecondition: WritePrecondition) {
        self.init(
            .checkWritePrecondition,
            Arguments(writePrecondition.node, writePrecondition.epoch, writePrecondition.configurationVersion)
        )
    }
}
