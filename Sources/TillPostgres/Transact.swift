extension Session {
    /// Runs steps as one transaction and in one round trip.
    ///
    /// - Throws: `StepFailure` when a step failed; nothing was written then. `PostgresFailure` when the connection ended
    ///   or the transaction could not be committed; after the former nobody knows.
    func transact(_ steps: [Step]) throws {
        let answers = try pipeline([[Step(.begin)] + steps + [Step(.commit)]])
        do {
            try Self.requireCommitted(try answers[0].get().last)
        } catch let failure as StepFailure {
            if !isIdle() { _ = try run(.rollback) }
            throw StepFailure(step: failure.step - 1, failure: failure.failure)
        }
    }

    /// A transaction that has failed answers COMMIT with ROLLBACK, and with no error.
    static func requireCommitted(_ answer: Rows?) throws {
        guard let answer, answer.tag == "COMMIT" else {
            throw PostgresFailure(statement: .commit, code: nil, message: "the transaction was rolled back")
        }
    }
}
