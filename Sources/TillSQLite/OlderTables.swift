import GRDB
import TillCore
import TillStorage

/// Tables of a store that an older Till made, as far as they are known today.
extension SQLiteStorage {
    package func columns(of table: ShopTable) -> [ShopTable.Column] {
        guard let known = olderColumns?[table.rawValue] else { return olderColumns == nil ? table.columns : [] }
        return table.columns.filter { known.contains($0.name) }
    }

    /// What to select in the order of the columns of a table: one that the store lacks is null.
    func selection(of table: ShopTable) -> String {
        guard let known = olderColumns?[table.rawValue] else { return table.columnList }
        return table.columns.map { known.contains($0.name) ? $0.name : "NULL AS \($0.name)" }.joined(separator: ", ")
    }

    /// Whether there is a table of that name: always, but in an older store.
    func has(_ name: String) -> Bool { olderColumns == nil || olderColumns?[name] != nil }

    /// The snapshots of an older store; how much is in each is not known.
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
