import Foundation
import GRDB
import GRDBSQLite
import TillCore
import TillStorage

/// Reads the whole database as of one moment, as a file or part by part.
extension SQLiteStorage {
    package func backup(to path: String) async throws -> Bool {
        guard !FileManager.default.fileExists(atPath: path) else { throw StoreRefused.exists(path: path) }
        let source = pool
        try await Task.detached {
            let target = try DatabaseQueue(path: path)
            do {
                try source.backup(to: target)
            } catch let error as DatabaseError {
                // GRDB takes the message from another connection than the one that failed, so this uses the message for
                // the code.
                let code = error.extendedResultCode
                throw DatabaseError(resultCode: code, message: String(cString: sqlite3_errstr(code.rawValue)))
            }
            try target.close()
        }.value
        return true
    }

    package func readWhole(_ take: @escaping @Sendable (StoredPart) async throws -> Void) async throws {
        let moment = try pool.makeSnapshot()
        try await moment.read { try Moment(storage: self, db: $0).readWhole(take) }
    }

    private struct Moment: StoredMoment {
        let storage: SQLiteStorage
        let db: Database

        func identifierHighWater() throws -> Int64 { try SQLiteStorage.highWater(db) ?? 0 }
        func snapshots() throws -> [Snapshot] { try storage.snapshots(db) }

        func rows(of table: ShopTable, after row: TableRow?, limit: Int) throws -> [TableRow] {
            try storage.rows(of: table, after: row, limit: limit, db)
        }

        func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) throws -> [PlacedRow] {
            try storage.rows(of: table, in: snapshot, after: place, limit: limit, db)
        }

        func auditRecords(after position: AuditPosition?, limit: Int) throws -> [NumberedAuditRecord] {
            try storage.auditRecords(after: position, limit: limit, db)
        }
    }
}
