import GRDB
import TillCore
import TillStorage

/// Deletes old notifications.
extension SQLiteStorage {
    package func prunable(_ query: PruneQuery) async throws -> [Prunable] {
        let owned = "FROM deliveries d WHERE d.partition = o.partition AND d.notification = o.id"
        let after = query.after ?? (Timestamp(milliseconds: .min), NotificationID(0))
        return try await pool.read { db in
            let sql = """
                SELECT id, signed_date, (SELECT count(*) \(owned)), (SELECT count(*) \(owned) AND d.due IS NOT NULL)
                FROM outbox o
                WHERE \(ShopTable.environment) = ? AND app = ? AND (signed_date, id) > (?, ?) AND signed_date < ?
                    AND id < ?
                    AND (type <> 'TEST' OR signed_date < ?)
                ORDER BY signed_date, id LIMIT ?
                """
            let arguments: StatementArguments = [
                query.scope.environment.rawValue, query.scope.app, after.signedDate.milliseconds, after.id.number,
                query.signedBefore.milliseconds, query.below?.number ?? .max, query.testsBefore.milliseconds,
                query.limit,
            ]
            return try db.keptRows(of: "outbox", sql, arguments).map { row in
                Prunable(
                    id: NotificationID(try row.integer(0)),
                    signedDate: Timestamp(milliseconds: try row.integer(1)),
                    deliveries: Int(try row.integer(2)),
                    pending: Int(try row.integer(3))
                )
            }
        }
    }

    package func prune(_ ids: [NotificationID]) async throws {
        try await write { db in
            let deliveries = try db.cachedStatement(
                sql: """
                    DELETE FROM deliveries WHERE partition = ?1 AND notification = ?2 AND NOT EXISTS (
                        SELECT 1 FROM deliveries WHERE partition = ?1 AND notification = ?2 AND due IS NOT NULL
                    )
                    """
            )
            let entry = try db.cachedStatement(
                sql: """
                    DELETE FROM outbox WHERE partition = ?1 AND id = ?2
                        AND NOT EXISTS (SELECT 1 FROM deliveries WHERE partition = ?1 AND notification = ?2)
                    """
            )
            for id in ids {
                try deliveries.execute(arguments: [id.partition.number, id.number])
                try entry.execute(arguments: [id.partition.number, id.number])
            }
        }
    }
}
