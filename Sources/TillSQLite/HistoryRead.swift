import Foundation
import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    /// One index range, never an offset: the five-hundredth page costs what the first costs.
    package func history(_ query: HistoryQuery) async throws -> HistoryPage {
        try await pool.read { db in try Self.history(query, db) }
    }

    static func history(_ query: HistoryQuery, _ db: Database) throws -> HistoryPage {
        let (sql, arguments) = statement(for: query)
        let head = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT change_number FROM accounts WHERE partition = ? AND account = ?"),
            arguments: [query.account.partition.number, query.account.number]
        )
        var rows: [Transaction] = []
        rows.reserveCapacity(query.limit + 1)
        let cursor = try Row.fetchCursor(try db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try cursor.next() { rows.append(try LedgerRow.read(row)) }
        let hasMore = rows.count > query.limit
        if hasMore { rows.removeLast() }
        return HistoryPage(rows: rows, hasMore: hasMore, head: head ?? 0)
    }

    /// The statement reads one row more than the page, to know whether there is another.
    static func statement(for query: HistoryQuery) -> (sql: String, arguments: StatementArguments) {
        var conditions = ["partition = ?", "account = ?"]
        var arguments: StatementArguments = [query.account.partition.number, query.account.number]
        func require(_ condition: String, _ values: StatementArguments = []) {
            conditions.append(condition)
            arguments += values
        }
        // One value of a list is bound as it is; several travel as one JSON text, so that there are few statements.
        func require(_ column: String, in values: [String]) {
            guard !values.isEmpty else { return }
            require("\(column) IN (SELECT value FROM json_each(?))", [jsonList(values)])
        }
        let filter = query.filter
        if let position = query.position { require(query.isAscending ? "change > ?" : "change < ?", [position]) }
        if let start = filter.startDate { require("purchase_date >= ?", [start.milliseconds]) }
        if let end = filter.endDate { require("purchase_date < ?", [end.milliseconds]) }
        require("product", in: filter.productIDs.sorted())
        require("type", in: filter.productTypes.map(\.rawValue).sorted())
        require("subscription_group", in: filter.groups.sorted())
        if let ownership = filter.ownership { require("ownership = ?", [ownership.rawValue]) }
        if let revoked = filter.revoked { require("revocation_date IS \(revoked ? "NOT " : "")NULL") }
        if filter.leavesOutFinishedConsumables {
            require(
                "NOT (type = ? AND is_finished AND revocation_date IS NULL)",
                [ProductType.consumable.rawValue]
            )
        }
        let sql = """
            SELECT \(LedgerRow.columns) FROM ledger WHERE \(conditions.joined(separator: " AND ")) \
            ORDER BY change \(query.isAscending ? "ASC" : "DESC") LIMIT ?
            """
        return (sql, arguments + [query.limit + 1])
    }

    private static func jsonList(_ values: [String]) -> String {
        let data = try? JSONEncoder().encode(values)
        return String(decoding: data ?? Data("[]".utf8), as: UTF8.self)
    }
}
