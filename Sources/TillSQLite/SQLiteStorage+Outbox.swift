import GRDB
import TillCore
import TillStorage

/// The notification history.
extension SQLiteStorage {
    package func notifications(_ query: NotificationQuery) async throws -> [OutboxEntry] {
        let (sql, arguments) = Self.statement(for: query)
        let entries = try await pool.read { db in
            try db.keptRows(of: "outbox", sql, arguments).map { try OutboxEntry($0) }
        }
        // The statement reads the page in this order, but the join does not preserve the order.
        let sorted = entries.sorted { ($0.signedDate, $0.id) < ($1.signedDate, $1.id) }
        return query.isDescending ? sorted.reversed() : sorted
    }

    /// The statement for a page: one index range, and a look-up for each notification of the page.
    static func statement(for query: NotificationQuery) -> (sql: String, arguments: [Cell]) {
        let source = query.endpoint == nil ? "outbox" : "deliveries"
        let id = query.endpoint == nil ? "id" : "notification"
        // An account has few notifications. The plus sign stops the planner from using the indexes of the app, in which
        // these notifications are far apart.
        let mark = query.account == nil ? "" : "+"
        var conditions = ["\(mark)\(ShopTable.environment) = ?", "\(mark)app = ?"]
        var arguments = [query.scope.environment.cell, query.scope.app.cell]
        func require(_ condition: String, _ values: [Cell]) {
            conditions.append(condition)
            arguments += values
        }
        if let endpoint = query.endpoint { require("endpoint = ? AND attempts > 0", [endpoint.cell]) }
        if query.kind != .every, query.endpoint == nil { require("chain <> ''", []) }
        if query.kind == .caused, query.endpoint == nil { require("is_triggered = 0", []) }
        if query.onlyFailures, query.endpoint != nil { require("\(mark)is_delivered = 0", []) }
        if let account = query.account { require("account = ?", [account.cell]) }
        if let type = query.type { require("type = ?", [type.cell]) }
        if query.isSubtypeFixed { require("subtype IS ?", [query.subtype.cell]) }
        // The bound of this page is narrower than the start date, and an index uses only one of these bounds.
        let goesOn = query.after != nil
        if let from = query.from, !goesOn || query.isDescending { require("signed_date >= ?", [from.cell]) }
        if let to = query.to, !goesOn || !query.isDescending { require("signed_date <= ?", [to.cell]) }
        if let after = query.after {
            let sign = query.isDescending ? "<" : ">"
            require("(signed_date, \(id)) \(sign) (?, ?)", [after.signedDate.cell, after.id.cell])
        }
        let order = query.isDescending ? "DESC" : "ASC"
        let sql = """
            SELECT \(OutboxEntry.format.list) FROM (
                SELECT \(id) AS id FROM \(source) WHERE \(conditions.joined(separator: " AND "))
                ORDER BY signed_date \(order), \(id) \(order) LIMIT ?
            ) AS page CROSS JOIN outbox USING (id)
            """
        return (sql, arguments + [query.limit.cell])
    }
}
