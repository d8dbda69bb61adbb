import TillStorage

/// How much is in a snapshot is counted when it is made, so that a list of them reads none of it.
enum SnapshotCounts {
    private static let columns = ShopTable.allCases.compactMap { table in table.counted.map { (table, $0) } }

    /// Adds the columns to what older versions made, and counts what they hold.
    static let tables = """
        \(columns.map { "ALTER TABLE snapshots ADD COLUMN \($0.1) BIGINT NOT NULL DEFAULT 0;" }.joined(separator: "\n"))
        \(statement);
        """

    /// Counts what is in snapshots.
    static let statement =
        "UPDATE snapshots SET "
        + columns.map { table, column in
            "\(column) = (SELECT count(*) FROM snapshot_\(table.rawValue) WHERE snapshot = snapshots.name)"
        }.joined(separator: ", ")
}
