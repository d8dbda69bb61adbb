extension Session {
    /// Runs steps as one transaction and in one round trip; starts again after a conflict with another transaction.
    ///
    /// - Parameter attempts: the maximum number of attempts.
    /// - Throws: `StepFailure` when a step failed; nothing was written then. `PostgresFailure` when the transaction
    ///   could not be committed, or when the connection ended; then the outcome is unknown.
    func transact(_ steps: [Step], attempts: Int) throws {
        for attempt in 1...max(1, attempts) {
            do {
                return try transact(steps)
            } catch let failed as StepFailure where failed.failure.isCollision && attempt < attempts {
                continue
            }
        }
    }

    private func transact(_ steps: [Step]) throws {
        let answers = try pipeline([[Step(.begin)] + steps + [Step(.commit)]])
        do {
            try requireCommitted(try answers[0].get().last)
        } catch let failed as StepFailure {
            if !isIdle() { _ = try run(.rollback) }
            throw failed.after(1)
        }
    }

    /// A failed transaction answers COMMIT with ROLLBACK and reports no error.
    func requireCommitted(_ answer: Rows?) throws {
        guard let answer, answer.tag == "COMMIT" else {
            throw PostgresFailure(statement: Statement.commit, code: nil, message: "the transaction was rolled back")
        }
        try requireDurable()
    }
}
