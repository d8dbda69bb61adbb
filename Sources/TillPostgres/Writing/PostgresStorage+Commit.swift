import Synchronization
import TillCore
import TillStorage

extension PostgresStorage {
    package func commit(_ changes: [Change]) async -> [Result<Void, CommitFailure>] {
        guard !changes.isEmpty else { return [] }
        do {
            let batch = try CommitBatch(changes, keepingAccountsIn: decodedAccounts)
            let attempts = settings.attempts
            // As after every write of cached configuration, also if the outcome is unknown.
            defer { if batch.changesConfiguration { writes.add(1, ordering: .relaxed) } }
            return try await pool.perform { try $0.commit(batch, attempts: attempts) }
        } catch {
            // If the connection ends during COMMIT, the outcome is unknown, so it does not count as a success.
            return changes.map { _ in .failure(CommitFailure(error)) }
        }
    }
}

extension Session {
    /// Commits a batch in one transaction.
    ///
    /// Nearly every batch succeeds as a whole. It is therefore sent without savepoints first, in one round trip and
    /// without subtransactions. If a change fails, the batch is rolled back and sent again with a savepoint for each
    /// change, so that the failed change does not affect the others.
    ///
    /// - Throws: `PostgresFailure` if the transaction itself failed, or if its outcome is unknown.
    func commit(_ batch: CommitBatch, attempts: Int) throws -> [Result<Void, CommitFailure>] {
        do {
            try transact(batch.checks + batch.changes.flatMap(\.steps), attempts: attempts)
            return batch.results(batch.changes.map { _ in .success(()) })
        } catch let failed as StepFailure {
            if batch.isOvertaken(failed) { return batch.allOvertaken }
            guard batch.changes.count == 1 else { return try commitApart(batch) }
            return batch.results([.failure(failed.after(batch.checks.count))])
        }
    }

    /// Commits a batch in one transaction with a savepoint for each change.
    ///
    /// At the end of each change, a step renews the savepoint; the server skips this step if the change has failed. The
    /// next change begins with a rollback to the savepoint. This undoes only failed changes, and no step waits for the
    /// results of the steps before it.
    private func commitApart(_ batch: CommitBatch) throws -> [Result<Void, CommitFailure>] {
        let renewal = [Step(.release), Step(.savepoint)]
        let segments = batch.changes.map { [Step(.rollbackToSavepoint)] + $0.steps + renewal }
        let answers = try pipeline(
            [[Step(.begin)] + batch.checks + [Step(.savepoint)]] + segments
                + [[Step(.rollbackToSavepoint), Step(.commit)]]
        )
        if case .failure(let failed) = answers[0] {
            if !isIdle() { _ = try? run(.rollback) }
            guard batch.isOvertaken(failed.after(1)) else { throw failed.failure }
            return batch.allOvertaken
        }
        do {
            try requireCommitted(try answers[answers.count - 1].get().last)
        } catch {
            if !isIdle() { _ = try? run(.rollback) }
            throw (error as? StepFailure)?.failure ?? error
        }
        return batch.results(
            answers.dropFirst().dropLast().map { answer in
                answer.mapError { $0.after(1) }.map { _ in }
            }
        )
    }
}

extension CommitBatch {
    /// Whether the failure means that the write precondition no longer holds.
    fileprivate func isOvertaken(_ failed: StepFailure) -> Bool {
        failed.failure.isGuard && checks.indices.contains(failed.step)
    }

    fileprivate var allOvertaken: [Result<Void, CommitFailure>] {
        [Result<Void, CommitFailure>](repeating: .failure(.preconditionFailed), count: count)
    }

    /// The results in the original order. For a change that was not sent, the result is that the precondition failed.
    fileprivate func results(_ answers: [Result<Void, StepFailure>]) -> [Result<Void, CommitFailure>] {
        var results = allOvertaken
        for (change, answer) in zip(changes, answers) {
            results[change.place] = answer.mapError { change.failure($0) }
        }
        return results
    }
}

extension StepFailure {
    /// The same failure, with the index of its step reduced by `count`.
    func after(_ count: Int) -> StepFailure { StepFailure(step: step - count, failure: failure) }
}
