/// What falls due on a clock: over all partitions, or in those that one node works on.
enum DueStatements {
    /// The earliest first; each partition is an ordered index range.
    static func accounts(in part: String) -> String {
        """
        SELECT account, customer, next_due FROM accounts
        WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND next_due IS NOT NULL AND next_due <= $4 AND \(part)
        ORDER BY next_due, account LIMIT $5
        """
    }

    /// The first account, and the first delivery of each endpoint, so that the rows behind them are not read.
    static func next(in part: String) -> String {
        """
        SELECT
            (
                SELECT next_due FROM accounts
                WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND next_due IS NOT NULL AND \(part)
                ORDER BY next_due LIMIT 1
            ),
            (
                WITH RECURSIVE owed (endpoint) AS (
                    (\(endpoint(in: part)))
                    UNION ALL
                    SELECT (\(endpoint("endpoint > owed.endpoint", in: part))) FROM owed WHERE endpoint IS NOT NULL
                )
                SELECT min((
                    SELECT due FROM deliveries
                    WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND endpoint = owed.endpoint AND due IS NOT NULL
                        AND \(part)
                    ORDER BY due LIMIT 1
                )) FROM owed
            )
        """
    }

    /// The first endpoint with a pending delivery.
    private static func endpoint(_ bound: String = "true", in part: String) -> String {
        """
        SELECT endpoint FROM deliveries
        WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND \(bound) AND due IS NOT NULL AND \(part)
        ORDER BY endpoint LIMIT 1
        """
    }

    /// Deliveries due at the same instant are in the order of their signed dates. Numbers give no order, because each
    /// node has blocks of its own.
    static func deliveries(in part: String) -> String {
        """
        SELECT \(DeliveryRow.list) FROM deliveries
        WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND endpoint = $4 AND due IS NOT NULL AND due <= $5 AND \(part)
        ORDER BY due, signed_date, notification LIMIT $6
        """
    }
}
