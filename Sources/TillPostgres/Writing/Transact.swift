extension Session {
    /// Runs steps in one transaction and one round trip. After a conflict with another transaction, it starts again.
    ///
    /// - Parameter attempts: The maximum number of attempts.
    /// - Throws: `StepFailure` if a step failed; nothing was written. `PostgresFailure` if the transaction could not be
    ///   committed or the connection ended; the outcome is unknown.
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

    /// The server responds to COMMIT with ROLLBACK if the transaction has failed, and reports no error.
    func requireCommitted(_ answer: Rows?) throws {
        guard let answer, answer.tag == "COMMIT" else {
            throw PostgresFailure(statement: Statement.commit, code: nil, message: "the transaction was rolled back")
        }
        try requireDurable()
    }
}
