import TillStorage

/// The tables of a database that an older version of Till created, as far as this version knows them.
extension SQLiteStorage {
    package func columns(of table: ShopTable) -> [ShopTable.Column] {
        guard let known = olderColumns?[table.rawValue] else { return olderColumns == nil ? table.columns : [] }
        return table.columns.filter { known.contains($0.name) }
    }

    /// The columns to select, in the order of the table. A column that is missing in the database is selected as null.
    func selection(of table: ShopTable) -> String {
        guard let known = olderColumns?[table.rawValue] else { return table.columnList }
        return table.columns.map { known.contains($0.name) ? $0.name : "NULL AS \($0.name)" }.joined(separator: ", ")
    }

    /// Whether the database has this table. A table can only be missing in a database of an older version.
    func has(_ name: String) -> Bool { olderColumns == nil || olderColumns?[name] != nil }
}
