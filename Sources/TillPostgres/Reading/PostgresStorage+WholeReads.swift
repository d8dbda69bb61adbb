import TillCore
import TillStorage

/// Reads the whole database as of one moment, in one long transaction.
extension PostgresStorage {
    /// Always false, because PostgreSQL has its own backup tools.
    package func backup(to path: String) async throws -> Bool { false }

    package func readWhole(_ take: @escaping @Sendable (StoredPart) async throws -> Void) async throws {
        try await pool.perform { session in
            _ = try session.run(.beginExamination)
            defer { _ = try? session.run(.rollback) }
            // The receiver of the parts may be slow, so this transaction has no time limits.
            try session.run(
                script: "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
            )
            try session.readWhole(take)
        }
    }
}

extension Session: StoredMoment {
    func identifierHighWater() throws -> Int64 { try run(.identifierHighWater).first?.int(0) ?? 0 }
}
