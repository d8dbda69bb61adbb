import GRDB
import TillCore
import TillStorage

/// The tables of a store that an older Till made, as far as this version knows them.
extension SQLiteStorage {
    package func columns(of table: ShopTable) -> [ShopTable.Column] {
        guard let known = olderColumns?[table.rawValue] else { return olderColumns == nil ? table.columns : [] }
        return table.columns.filter { known.contains($0.name) }
    }

    /// The columns to select, in the table's order; null for one that the store lacks.
    func selection(of table: ShopTable) -> String {
        guard let known = olderColumns?[table.rawValue] else { return table.columnList }
        return table.columns.map { known.contains($0.name) ? $0.name : "NULL AS \($0.name)" }.joined(separator: ", ")
    }

    /// Whether the store has that table; it may be missing in an older store only.
    func has(_ name: String) -> Bool { olderColumns == nil || olderColumns?[name] != nil }

    /// The snapshots of an older store; their row counts are unknown.
    func olderSnapshots() async throws -> [Snapshot] {
        guard has("snapshots") else { return [] }
        return try await pool.read { db in
            try db.rows(of: "snapshots", "SELECT name, app, saved_at FROM snapshots ORDER BY name").map { row in
                Snapshot(
                    name: try row.text(0),
                    app: try row.maybeText(1),
                    savedAt: Timestamp(milliseconds: try row.integer(2))
                )
            }
        }
    }
}
