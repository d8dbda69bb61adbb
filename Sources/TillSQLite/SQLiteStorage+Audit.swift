import GRDB
import TillCore
import TillStorage

/// The audit log.
extension SQLiteStorage {
    /// Writes in one transaction, together with the audit record of the current operation.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let audit = PendingAudit.current
        let record = audit?.unwritten
        let value = try await pool.write { db in
            if let record { try Self.write(record, db) }
            return try body(db)
        }
        audit?.noteWritten()
        return value
    }

    /// Writes a record once. Only the result and the count of a failed operation replace those of an earlier write.
    static func write(_ record: AuditRecord, _ db: Database) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO audit (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (id) DO UPDATE SET status = excluded.status, code = excluded.code,
                    calls = max(calls, excluded.calls)
                    WHERE excluded.code IS NOT NULL
                """
        )
        try statement.execute(
            arguments: [
                record.id, record.at.milliseconds, record.caller, record.address, record.operation, record.app,
                record.environment, record.customer, record.object, record.status, record.code,
                record.count,
            ]
        )
    }

    private static let columns =
        "id, date, caller, address, operation, app, environment, customer, object, status, code, calls"

    package func auditRecords(_ query: AuditQuery) async throws -> [NumberedAuditRecord] {
        let sql = """
            SELECT number, \(Self.columns) FROM audit
            WHERE (date, number) < (?, ?) AND date >= ? AND caller = ifnull(?, caller)
                AND operation = ifnull(?, operation) AND (? IS NULL OR app = ?) AND (? OR code IS NOT NULL)
            ORDER BY date DESC, number DESC LIMIT ?
            """
        return try await pool.read { db in
            try db.rows(
                of: "audit",
                sql,
                [
                    query.start.at.milliseconds, query.start.number, query.from?.milliseconds ?? .min, query.caller,
                    query.operation, query.app, query.app, !query.onlyFailed, query.limit,
                ]
            ).map { try NumberedAuditRecord($0) }
        }
    }

    package func auditRecords(after position: AuditPosition?, limit: Int) async throws -> [NumberedAuditRecord] {
        try await pool.read { try self.auditRecords(after: position, limit: limit, $0) }
    }

    func auditRecords(after position: AuditPosition?, limit: Int, _ db: Database) throws -> [NumberedAuditRecord] {
        guard has("audit") else { return [] }
        return try db.rows(
            of: "audit",
            "SELECT number, \(Self.columns) FROM audit WHERE (date, number) > (?, ?) ORDER BY date, number LIMIT ?",
            [position?.at.milliseconds ?? .min, position?.number ?? 0, limit]
        ).map { try NumberedAuditRecord($0) }
    }

    package func pruneAudit(before: Timestamp, limit: Int) async throws -> Int {
        try await pool.write { db in
            try db.execute(
                sql: """
                    DELETE FROM audit WHERE number IN (
                        SELECT number FROM audit WHERE date < ? ORDER BY date, number LIMIT ?
                    )
                    """,
                arguments: [before.milliseconds, limit]
            )
            return db.changesCount
        }
    }

    /// Removes the name of an erased customer, as a customer and as a member of a family.
    static func eraseFromAudit(_ erasure: Erasure, _ db: Database) throws {
        for column in ["customer", "object"] {
            try db.execute(
                sql: "UPDATE audit SET \(column) = NULL WHERE app = ? AND environment = ? AND \(column) = ?",
                arguments: [erasure.scope.app, erasure.scope.environment.rawValue, erasure.customer]
            )
        }
    }
}

extension NumberedAuditRecord {
    fileprivate init(_ row: RowCells) throws {
        self.init(
            number: try row.integer(0),
            record: AuditRecord(
                id: try row.text(1),
                at: Timestamp(milliseconds: try row.integer(2)),
                caller: try row.text(3),
                address: try row.maybeText(4),
                operation: try row.text(5),
                app: try row.maybeText(6),
                environment: try row.maybeText(7),
                customer: try row.maybeText(8),
                object: try row.maybeText(9),
                status: Int(try row.integer(10)),
                code: try row.maybeText(11),
                count: Int(try row.integer(12))
            )
        )
    }
}
