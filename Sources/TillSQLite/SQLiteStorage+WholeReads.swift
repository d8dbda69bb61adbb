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
        let highWater = try await moment.read { db in
            try Self.highWater(db) ?? 0
        }
        try await take(.highWater(highWater))
        for table in ShopTable.allCases {
            var last: TableRow?
            repeat {
                let position = last
                let page = try await moment.read { db in
                    try Self.rows(of: table, table.columnList, after: position, limit: table.pageLength, db)
                }
                if !page.isEmpty { try await take(.rows(page, table)) }
                last = page.last
            } while last != nil
        }
        var position: AuditPosition?
        repeat {
            let place = position
            let page = try await moment.read { try self.auditRecords(after: place, limit: 500, $0) }
            if !page.isEmpty { try await take(.audit(page.map(\.record))) }
            position = page.last?.position
        } while position != nil
        for snapshot in try await moment.read({ try Self.snapshots($0) }) {
            try await take(.snapshot(snapshot))
            for table in ShopTable.allCases {
                var last: Int64?
                repeat {
                    let place = last
                    let page = try await moment.read { db in
                        try Self.rows(
                            of: table,
                            table.columnList,
                            in: snapshot.name,
                            after: place,
                            limit: table.pageLength,
                            db
                        )
                    }
                    if !page.isEmpty { try await take(.rowsOfSnapshot(page.map(\.row), table, snapshot)) }
                    last = page.last?.place
                } while last != nil
            }
        }
    }
}
