import TillStorage

/// Statements for due accounts and deliveries on a clock, in all partitions or in the partitions of one node.
enum DueStatements {
    /// The due accounts, earliest first. Each partition is an ordered index range.
    static func accounts(in part: String) -> String {
        """
        SELECT account, customer, next_due FROM accounts
        WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND next_due IS NOT NULL AND next_due <= $4
            AND \(part)
        ORDER BY next_due, account LIMIT $5
        """
    }

    /// The due date of the first account.
    static func next(in part: String) -> String {
        """
        SELECT next_due FROM accounts
        WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND next_due IS NOT NULL AND \(part)
        ORDER BY next_due LIMIT 1
        """
    }

    /// The due deliveries. Those of the same instant are ordered by their signed dates, not by their numbers, because
    /// each node uses number ranges of its own.
    static func deliveries(in part: String) -> String {
        """
        SELECT \(DeliveryRow.list) FROM deliveries
        WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND endpoint = $4
            AND due IS NOT NULL AND due <= $5 AND \(part)
        ORDER BY due, signed_date, notification LIMIT $6
        """
    }
}
