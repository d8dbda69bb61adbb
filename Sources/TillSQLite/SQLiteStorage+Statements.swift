import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    package func rows<Value: Sendable>(
        _ statement: CommonStatement,
        each arguments: [[Cell]],
        _ read: @escaping @Sendable (any StoredCells) throws -> Value
    ) async throws -> [Value] {
        let all: @Sendable (Database) throws -> [Value] = { db in
            try arguments.flatMap { try db.rows(statement, $0).map(read) }
        }
        return switch statement.sql.use {
        case .shortRead: try arguments.flatMap { try hot.rows(statement, $0, read) }
        case .read: try await pool.read(all)
        case .write: try await pool.write(all)
        }
    }

    /// Ignores the kinds of documents: only one server uses this database.
    package func write(_ steps: [StatementStep], _ record: WriteRecord) async throws {
        if case .unaudited = record { return try await pool.write { try $0.run(steps) } }
        try await write { try $0.run(steps) }
    }

    /// Writes in one transaction, together with the audit record of the current operation.
    func write<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        let audit = PendingAudit.current
        let record = try audit?.unwritten.map { try StatementStep($0) }
        let value = try await pool.write { db in
            if let record { try db.run([record]) }
            return try body(db)
        }
        audit?.noteWritten()
        return value
    }

    package func auditRecords(after position: AuditPosition?, limit: Int) async throws -> [NumberedAuditRecord] {
        try await pool.read { try self.auditRecords(after: position, limit: limit, $0) }
    }

    func auditRecords(after position: AuditPosition?, limit: Int, _ db: Database) throws -> [NumberedAuditRecord] {
        guard has("audit") else { return [] }
        return try db.rows(.oldestAudit, AuditPosition.cells(position, limit)).map { try NumberedAuditRecord($0) }
    }

    /// The lowest counter value that was never reserved; nil if none is stored.
    static func highWater(_ db: Database) throws -> Int64? { try db.rows(.identifierHighWater).first?.integer(0) }

    package func examine() async throws -> [String] {
        try await pool.read { db in
            var findings: [String] = []
            for line in try String.fetchAll(db, sql: "PRAGMA integrity_check(20)") where line != "ok" {
                findings.append("The database file is damaged: \(line)")
            }
            for row in try db.rows(of: "pragma", "PRAGMA foreign_key_check") {
                findings.append("A row of \(try row.text(0)) refers to an account that does not exist.")
            }
            return findings + (try Examination.findings { try db.rows($0) })
        }
    }
}
