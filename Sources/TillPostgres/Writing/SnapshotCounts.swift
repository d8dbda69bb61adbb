import TillStorage

/// The rows of a snapshot are counted when it is created, so that a list of snapshots need not read them.
enum SnapshotCounts {
    private static let columns = ShopTable.allCases.compactMap { table in table.counted.map { (table, $0) } }

    /// Adds the columns to the tables of older versions, and writes the counts. This is a released migration, so its
    /// text never changes.
    static let tables = """
        ALTER TABLE snapshots ADD COLUMN customers BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE snapshots ADD COLUMN transactions BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE snapshots ADD COLUMN notifications BIGINT NOT NULL DEFAULT 0;
        UPDATE snapshots SET \
        customers = (SELECT count(*) FROM snapshot_accounts WHERE snapshot = snapshots.name), \
        transactions = (SELECT count(*) FROM snapshot_ledger WHERE snapshot = snapshots.name), \
        notifications = (SELECT count(*) FROM snapshot_outbox WHERE snapshot = snapshots.name);
        """

    /// The statement that counts the rows of snapshots.
    static let statement =
        "UPDATE snapshots SET "
        + columns.map { table, column in
            "\(column) = (SELECT count(*) FROM snapshot_\(table.rawValue) WHERE snapshot = snapshots.name)"
        }.joined(separator: ", ")
}
