import Foundation
import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    /// Reads one index range and never uses an offset, so the five-hundredth page costs as much as the first.
    ///
    /// The account's last change number is read before the rows. A row that is written between the two reads is
    /// therefore returned twice at most, and never missed.
    package func history(_ query: HistoryQuery) async throws -> HistoryPage {
        let head = try hot.rows(
            of: "accounts",
            "SELECT change_number FROM accounts WHERE partition = ? AND account = ?",
            query.account.place
        ) { try $0.integer(0) }.first
        let (sql, values) = Self.statement(for: query)
        var rows = try hot.rows(of: "ledger", sql, values) { try Transaction.read($0) }
        let hasMore = rows.count > query.limit
        if hasMore { rows.removeLast() }
        let newest = query.isAscending ? rows.last?.change : rows.first?.change
        return HistoryPage(rows: rows, hasMore: hasMore, head: max(head ?? 0, newest ?? 0))
    }

    /// The statement reads one row more than the page needs, which shows whether another page follows.
    static func statement(for query: HistoryQuery) -> (sql: String, values: [Cell]) {
        var conditions = ["partition = ?", "account = ?"]
        var arguments = query.account.place
        func require(_ condition: String, _ values: [Cell] = []) {
            conditions.append(condition)
            arguments += values
        }
        // A single value is a parameter of its own. Several values become one parameter with a JSON array, so that
        // there are few different statements.
        func require(_ column: String, in values: [String]) {
            guard !values.isEmpty else { return }
            require("\(column) IN (SELECT value FROM json_each(?))", [jsonList(values).cell])
        }
        let filter = query.filter
        if let position = query.position {
            require(query.isAscending ? "change > ?" : "change < ?", [position.cell])
        }
        if let start = filter.startDate { require("purchase_date >= ?", [start.cell]) }
        if let end = filter.endDate { require("purchase_date < ?", [end.cell]) }
        require("product", in: filter.productIDs.sorted())
        require("type", in: filter.productTypes.map(\.rawValue).sorted())
        require("subscription_group", in: filter.groups.sorted())
        if let ownership = filter.ownership { require("ownership = ?", [ownership.cell]) }
        if let revoked = filter.revoked { require("revocation_date IS \(revoked ? "NOT " : "")NULL") }
        if filter.leavesOutFinishedConsumables {
            require(
                "NOT (type = ? AND is_finished AND revocation_date IS NULL)",
                [ProductKind.consumable.cell]
            )
        }
        let sql = """
            SELECT \(Transaction.format.list) FROM ledger WHERE \(conditions.joined(separator: " AND ")) \
            ORDER BY change \(query.isAscending ? "ASC" : "DESC") LIMIT ?
            """
        return (sql, arguments + [(query.limit + 1).cell])
    }

    private static func jsonList(_ values: [String]) -> String {
        let data = try? JSONEncoder().encode(values)
        return String(decoding: data ?? Data("[]".utf8), as: UTF8.self)
    }
}
