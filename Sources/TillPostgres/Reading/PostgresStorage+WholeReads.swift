import Foundation
import Synchronization
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
            try session.handOver(to: HandOver(take))
        }
    }
}

extension Session {
    fileprivate func handOver(to next: HandOver) throws {
        try next(.highWater(try run(.identifierHighWater).first?.int(0) ?? 0))
        for table in ShopTable.allCases {
            var last: TableRow?
            repeat {
                let page = try rows(of: table, after: last, limit: table.pageLength)
                if !page.isEmpty { try next(.rows(page, table)) }
                last = page.last
            } while last != nil
        }
        var position: AuditPosition?
        repeat {
            let page = try auditRecords(after: position, limit: 500)
            if !page.isEmpty { try next(.audit(page.map(\.record))) }
            position = page.last?.position
        } while position != nil
        for snapshot in try snapshots() {
            try next(.snapshot(snapshot))
            for table in ShopTable.allCases {
                var last: Int64?
                repeat {
                    let page = try rows(of: table, in: snapshot.name, after: last, limit: table.pageLength)
                    if !page.isEmpty { try next(.rowsOfSnapshot(page.map(\.row), table, snapshot)) }
                    last = page.last?.place
                } while last != nil
            }
        }
    }
}

/// Calls an async function from a connection's thread, which may block, and waits for the result.
private struct HandOver: Sendable {
    private let take: @Sendable (StoredPart) async throws -> Void

    init(_ take: @escaping @Sendable (StoredPart) async throws -> Void) { self.take = take }

    private final class Outcome: Sendable {
        private let result = Mutex<Result<Void, any Error>>(.success(()))

        func note(_ error: any Error) { result.withLock { $0 = .failure(error) } }
        func get() throws { try result.withLock { $0 }.get() }
    }

    func callAsFunction(_ part: StoredPart) throws {
        let outcome = Outcome()
        let taken = DispatchSemaphore(value: 0)
        let take = take
        Task {
            do { try await take(part) } catch { outcome.note(error) }
            taken.signal()
        }
        taken.wait()
        try outcome.get()
    }
}
