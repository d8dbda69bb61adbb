import TillCore

/// The SQL texts of the search and of the comparison of snapshots.
extension CommonStatement {
    /// The text of a statement of the search or of the comparison.
    var searchText: String {
        switch self {
        case .customersByPrefix: Self.customersByPrefixText
        case .ownersOfToken: Self.ownersOfTokenText
        case .entryByUUIDAlone: "SELECT \(OutboxEntry.format.list) FROM outbox WHERE uuid = $1"
        case .accountsOfSnapshot:
            """
            SELECT \(AccountRow.list) FROM snapshot_accounts
            WHERE snapshot = $1 AND \(Self.environment) = $2 AND app = $3 AND account > $4 ORDER BY account LIMIT $5
            """
        // No reader needs the partition, which the number of the account contains.
        case .rowsOfSnapshot:
            """
            SELECT \(Transaction.format.list.replacing("partition", with: "0")) FROM snapshot_ledger
            WHERE snapshot = $1 AND account = $2 ORDER BY change DESC LIMIT $3
            """
        case .latestRows:
            """
            SELECT \(Transaction.format.list) FROM ledger
            WHERE partition = $1 AND account = $2 ORDER BY change DESC LIMIT $3
            """
        case .headsOfSnapshot:
            """
            SELECT \(NotificationHead.list) FROM snapshot_outbox
            WHERE snapshot = $1 AND \(Self.environment) = $2 AND app = $3 AND (signed_date, id) > ($4, $5)
            ORDER BY signed_date, id LIMIT $6
            """
        case .heads:
            """
            SELECT \(NotificationHead.list) FROM outbox
            WHERE \(Self.environment) = $1 AND app = $2 AND (signed_date, id) > ($3, $4)
            ORDER BY signed_date, id LIMIT $5
            """
        default: preconditionFailure("\(self) is not a statement of the search")
        }
    }

    /// The customers with a prefix. The unique index of customers begins with the partition, so each logical partition
    /// is a range of the index. An index that begins with the name would cost each new customer another write.
    private static let customersByPrefixText = """
        SELECT a.account, a.customer FROM generate_series($4::bigint, \(Partition.count - 1)) AS n
        CROSS JOIN LATERAL (
            SELECT account, customer FROM accounts
            WHERE partition = n AND \(environment) = $1 AND app = $2
                AND customer >= CASE WHEN n = $4 THEN $5 ELSE $3 END AND customer < $6
            ORDER BY customer LIMIT $7
        ) a LIMIT $7
        """

    /// The same for SQLite, which reads the partitions in the same order because of `CROSS JOIN`.
    static let sqliteCustomersByPrefix = """
        SELECT a.account, a.customer FROM (
            WITH RECURSIVE partitions (n) AS (
                SELECT CAST($4 AS INTEGER) UNION ALL SELECT n + 1 FROM partitions WHERE n < \(Partition.count - 1)
            ) SELECT n FROM partitions
        ) CROSS JOIN accounts a
        WHERE a.partition = n AND a.\(environment) = $1 AND a.app = $2
            AND a.customer >= CASE WHEN n = $4 THEN $5 ELSE $3 END AND a.customer < $6
        LIMIT $7
        """

    /// The accounts with a token: each step finds the next account in the index, so a customer with many transactions
    /// costs as much as a customer with one.
    private static let ownersOfTokenText = """
        SELECT found.account FROM (
            WITH RECURSIVE owners (account) AS (
                SELECT min(account) FROM ledger WHERE app_account_token = $1 AND account > $2
                UNION ALL
                SELECT (SELECT min(l.account) FROM ledger l WHERE l.app_account_token = $1 AND l.account > o.account)
                FROM owners o WHERE o.account IS NOT NULL
            ) SELECT account FROM owners WHERE account IS NOT NULL
        ) found LIMIT $3
        """
}
