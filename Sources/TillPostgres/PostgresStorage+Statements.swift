import TillCore
import TillStorage

extension PostgresStorage {
    package func rows<Value: Sendable>(
        _ statement: CommonStatement,
        each arguments: [[Cell]],
        _ read: @escaping @Sendable (any StoredCells) throws -> Value
    ) async throws -> [Value] {
        let segments = arguments.map { [Step(statement, Arguments($0))] }
        switch segments.count {
        case 0: return []
        case 1: return try await pool.perform { try $0.run(statement, segments[0][0].arguments).map(read) }
        default:
            // All of them are sent in one round trip.
            return try await pool.perform { session in
                try session.pipeline(segments).flatMap { try $0.get()[0].map(read) }
            }
        }
    }

    package func write(_ steps: [StatementStep], _ record: WriteRecord) async throws {
        guard !steps.isEmpty else { return }
        let steps = steps.map { Step($0) }
        switch record {
        case .unaudited: try await write(steps)
        case .audited: try await audited { try await write($0 + steps) }
        case .documents(let kinds): try await write(steps, changing: kinds)
        }
    }

    /// Runs a transaction that must contain the step with the audit record of the current operation, if there is one.
    func audited<Value>(_ body: (_ record: [Step]) async throws -> Value) async throws -> Value {
        let audit = PendingAudit.current
        let value = try await body(try audit?.unwritten.map { [Step(try StatementStep($0))] } ?? [])
        audit?.noteWritten()
        return value
    }

    package func examine() async throws -> [String] {
        try await pool.perform { session in
            _ = try session.run(.beginExamination)
            defer { _ = try? session.run(.rollback) }
            // The examination reads all data, so it has no time limit and may use any plan.
            try session.run(script: Session.withoutLimits)
            return try session.patiently {
                try Examination.findings { try session.run($0).map { $0 } }
            }
        }
    }
}

extension Session {
    /// Lets the current transaction read everything, with any plan.
    static let withoutLimits = """
        SET LOCAL statement_timeout = 0; SET LOCAL enable_seqscan = on; SET LOCAL enable_sort = on;
        SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on; SET LOCAL enable_bitmapscan = on
        """

    /// Runs steps one after another, in the current transaction.
    func run(_ steps: [Step]) throws {
        for step in steps { _ = try run(any: step.statement, step.arguments) }
    }

    func auditRecords(after position: AuditPosition?, limit: Int) throws -> [NumberedAuditRecord] {
        try run(.oldestAudit, Arguments(AuditPosition.cells(position, limit))).map { try NumberedAuditRecord($0) }
    }
}
