import TillCore
import TillStorage

/// The audit log.
extension PostgresStorage {
    package func auditRecords(_ query: AuditQuery) async throws -> [NumberedAuditRecord] {
        let arguments = Arguments(
            query.start.at.milliseconds,
            query.start.number,
            query.from?.milliseconds ?? .min,
            query.caller,
            query.operation,
            query.app,
            query.onlyFailed ? 1 : 0,
            query.limit
        )
        return try await read(.newestAudit, arguments) { try NumberedAuditRecord($0) }
    }

    package func auditRecords(after position: AuditPosition?, limit: Int) async throws -> [NumberedAuditRecord] {
        try await pool.perform { try $0.auditRecords(after: position, limit: limit) }
    }

    package func pruneAudit(before: Timestamp, limit: Int) async throws -> Int {
        try await read(.pruneAudit, Arguments(before.milliseconds, limit)) { Int(try $0.int(0)) }.first ?? 0
    }

    /// Runs a transaction that must contain the step with the audit record of the current operation, if there is one.
    func audited<Value>(_ body: (_ record: [Step]) async throws -> Value) async throws -> Value {
        let audit = PendingAudit.current
        let value = try await body(audit?.unwritten.map { [Step($0)] } ?? [])
        audit?.noteWritten()
        return value
    }
}

extension Step {
    /// Writes a record once. Only the result and the count of a failed operation replace those of an earlier write.
    init(_ record: AuditRecord) {
        let arguments = Arguments(
            record.id,
            record.at.milliseconds,
            record.caller,
            record.address,
            record.operation,
            record.app,
            record.environment,
            record.customer,
            record.object,
            record.status,
            record.code,
            record.count
        )
        self.init(.putAudit, arguments)
    }
}

extension Session {
    /// Runs steps one after another, in the current transaction.
    func run(_ steps: [Step]) throws {
        for step in steps { _ = try run(any: step.statement, step.arguments) }
    }

    func auditRecords(after position: AuditPosition?, limit: Int) throws -> [NumberedAuditRecord] {
        let arguments = Arguments(position?.at.milliseconds ?? .min, position?.number ?? 0, limit)
        return try run(.oldestAudit, arguments).map { try NumberedAuditRecord($0) }
    }
}

extension NumberedAuditRecord {
    fileprivate init(_ row: Row) throws {
        self.init(
            number: try row.int(0),
            record: AuditRecord(
                id: try row.text(1),
                at: Timestamp(milliseconds: try row.int(2)),
                caller: try row.text(3),
                address: row.maybeText(4),
                operation: try row.text(5),
                app: row.maybeText(6),
                environment: row.maybeText(7),
                customer: row.maybeText(8),
                object: row.maybeText(9),
                status: Int(try row.int(10)),
                code: row.maybeText(11),
                count: Int(try row.int(12))
            )
        )
    }
}
