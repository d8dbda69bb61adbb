import CPostgres
import TillStorage

/// A statement with its parameters.
struct Step: Sendable {
    let statement: any SentStatement
    let arguments: Arguments

    init(_ statement: Statement, _ arguments: Arguments = Arguments()) {
        self.statement = statement
        self.arguments = arguments
    }

    init(_ statement: CommonStatement, _ arguments: Arguments) {
        self.statement = SentCommonStatement(statement: statement)
        self.arguments = arguments
    }

    init(_ statement: TableStatement, _ arguments: Arguments) {
        self.statement = statement
        self.arguments = arguments
    }

    init(_ step: StatementStep) { self.init(step.statement, Arguments(step.arguments)) }
}

/// The error of a step in a pipeline. The server skips the rest of the segment after a failed step.
struct StepFailure: StorageError, CustomStringConvertible {
    /// The index of the failed step in its segment.
    let step: Int
    let failure: PostgresFailure

    var description: String { failure.description }
    var isTransient: Bool { failure.isTransient }
}

extension Session {
    /// Sends all steps before it reads the results, in one round trip.
    ///
    /// - Parameter segments: The steps in segments. A failed step stops its own segment only.
    /// - Returns: For each segment, the rows of its steps, or the error of the step that failed.
    /// - Throws: `PostgresFailure` if the connection ended. It is then unknown which steps took effect.
    func pipeline(_ segments: [[Step]]) throws -> [Result<[Rows], StepFailure>] {
        try prepare(segments.joined().map(\.statement))
        return try waiting { try sendAndReceive(segments) }
    }

    private func sendAndReceive(_ segments: [[Step]]) throws -> [Result<[Rows], StepFailure>] {
        guard PQenterPipelineMode(connection) == 1 else { throw lost(nil) }
        for segment in segments {
            for step in segment { try send(step) }
            guard PQpipelineSync(connection) == 1 else { throw lost(nil) }
        }
        let answers = try segments.map { try answer(to: $0) }
        guard PQexitPipelineMode(connection) == 1 else { throw lost(nil) }
        return answers
    }

    private func send(_ step: Step) throws {
        let isSent = step.arguments.withPointers { count, values, lengths, formats in
            PQsendQueryPrepared(connection, step.statement.name, count, values, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost(step.statement) }
    }

    private func answer(to segment: [Step]) throws -> Result<[Rows], StepFailure> {
        var rows: [Rows] = []
        var failed: StepFailure?
        for (place, step) in segment.enumerated() {
            guard let result = PQgetResult(connection) else { throw lost(step.statement) }
            let answer = Rows(result, of: step.statement.table)
            switch answer.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: rows.append(answer)
            case PGRES_PIPELINE_ABORTED: break
            default:
                let failure = answer.failure(of: step.statement)
                noteFailure(failure)
                guard PQstatus(connection) == CONNECTION_OK else { throw lost(step.statement) }
                failed = failed ?? StepFailure(step: place, failure: failure)
            }
            // A null result ends the results of each statement.
            while let more = PQgetResult(connection) { PQclear(more) }
        }
        guard let end = PQgetResult(connection) else { throw lost(nil) }
        guard Rows(end, of: "").status == PGRES_PIPELINE_SYNC else { throw lost(nil) }
        return failed.map { .failure($0) } ?? .success(rows)
    }
}
