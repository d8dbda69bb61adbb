import TillCore
import TillStorage

extension PostgresStorage {
    package func commit(_ changes: [Change]) async -> [Result<Void, CommitFailure>] {
        guard !changes.isEmpty else { return [] }
        do {
            let batch = try CommitBatch(changes)
            let attempts = settings.attempts
            return try await pool.perform { try $0.commit(batch, attempts: attempts) }
        } catch {
            // When the connection ends around COMMIT nobody knows what became of it, so it is no success.
            return changes.map { _ in .failure(.engine(String(describing: error))) }
        }
    }

    package func reserveIdentifiers(_ count: Int64) async throws -> Range<Int64> {
        let next = try await read(.reserveIdentifiers, Arguments(count)) { try $0.int(0) }.first
        guard let next else { throw DamagedStore(what: "the identifier series is missing; run till doctor") }
        return next - count..<next
    }

    package func identifierHighWater() async throws -> Int64 {
        try await read(.identifierHighWater) { try $0.int(0) }.first ?? 0
    }
}

extension Session {
    /// Commits a batch in one transaction.
    ///
    /// Nearly every batch goes through whole, so it is sent without savepoints first: one round trip, and no
    /// subtransaction of the server's. Only when a change fails is the batch rolled back and sent again, each change
    /// under a savepoint of its own, so that the failed one leaves no trace and hinders nobody.
    ///
    /// - Throws: `PostgresFailure` when the transaction itself failed, or when nobody knows.
    func commit(_ batch: CommitBatch, attempts: Int) throws -> [Result<Void, CommitFailure>] {
        do {
            try transact(batch.changes.flatMap(\.steps), attempts: attempts)
            return batch.changes.map { _ in .success(()) }
        } catch let failed as StepFailure {
            return batch.changes.count == 1 ? batch.results([.failure(failed)]) : try commitApart(batch)
        }
    }

    /// One transaction with a savepoint for each change.
    ///
    /// Each change ends by renewing the savepoint, which the server leaves out when the change has failed; the next one
    /// begins by going back to it. So a failed change is taken back, and the others do not wait to hear of it.
    private func commitApart(_ batch: CommitBatch) throws -> [Result<Void, CommitFailure>] {
        let renewal = [Step(.release), Step(.savepoint)]
        let segments = batch.changes.map { [Step(.rollbackToSavepoint)] + $0.steps + renewal }
        let answers = try pipeline(
            [[Step(.begin), Step(.savepoint)]] + segments + [[Step(.rollbackToSavepoint), Step(.commit)]]
        )
        do {
            try requireCommitted(try answers[answers.count - 1].get().last)
        } catch {
            if !isIdle() { _ = try? run(.rollback) }
            throw (error as? StepFailure)?.failure ?? error
        }
        return batch.results(
            answers.dropFirst().dropLast().map { answer in
                answer.mapError { StepFailure(step: $0.step - 1, failure: $0.failure) }.map { _ in }
            }
        )
    }
}

extension CommitBatch {
    /// What came of each change, in the order in which they came.
    fileprivate func results(_ answers: [Result<Void, StepFailure>]) -> [Result<Void, CommitFailure>] {
        var results = [Result<Void, CommitFailure>](repeating: .success(()), count: changes.count)
        for (change, answer) in zip(changes, answers) {
            guard case .failure(let failed) = answer else { continue }
            results[change.place] = .failure(change.failure(failed))
        }
        return results
    }
}
