import TillCore
import TillStorage

/// Pages of the notification history, ordered by the signed date.
///
/// The form of the query determines the index. Each form is a statement that reads a date range with two bounds; all
/// other conditions are filters.
enum NotificationPages {
    static let ofAccount = "partition = $12 AND account = $13"

    /// A page of all notifications that were created.
    static func made(isAscending: Bool, isOfAccount: Bool) -> String {
        """
        SELECT \(OutboxEntry.format.list) FROM outbox
        WHERE \(ShopTable.environment) = $1 AND app = $2 \(range(isAscending, "id")) AND ($9::bigint = 0 OR chain <> '')
        AND ($9::bigint < \(NotificationQuery.Kind.caused.rawValue) OR is_triggered = 0)
        \(isOfAccount ? "AND partition = $11 AND account = $12" : "")
        \(order(isAscending, "id"))
        """
    }

    /// A page of the notifications that were sent to an endpoint: the deliveries, and each notification by its key.
    static func tried(isAscending: Bool, _ narrowing: String = "true") -> String {
        // An account has few notifications. The computed expressions stop the planner from using the indexes of the
        // app.
        let isOfAccount = narrowing == ofAccount
        let computed = isOfAccount ? " || ''" : ""
        let scope = "\(ShopTable.environment)\(computed) = $1 AND app\(computed) = $2"
        return """
            SELECT o.* FROM (
                SELECT partition, notification FROM deliveries
                WHERE \(scope) AND endpoint = $11 AND attempts > 0 AND \(narrowing)
                \(range(isAscending, "notification")) AND ($9::bigint = 0 OR is_delivered = 0)
                \(order(isAscending, "notification"))
            ) page CROSS JOIN LATERAL (
                SELECT \(OutboxEntry.format.list) FROM outbox
                WHERE partition = \(isOfAccount ? "$12" : "page.partition") AND id = page.notification OFFSET 0
            ) o
            """
    }

    private static func range(_ isAscending: Bool, _ id: String) -> String {
        """
        AND (signed_date, \(id)) \(isAscending ? ">" : "<") ($3, $4) AND signed_date \(isAscending ? "<=" : ">=") $5
        AND ($6::text IS NULL OR type = $6) AND ($7::bigint = 0 OR subtype IS NOT DISTINCT FROM $8)
        """
    }

    private static func order(_ isAscending: Bool, _ id: String) -> String {
        isAscending ? "ORDER BY signed_date, \(id) LIMIT $10" : "ORDER BY signed_date DESC, \(id) DESC LIMIT $10"
    }

    /// The statement for a query, with its values.
    static func step(for query: NotificationQuery) -> Step {
        let (up, down) = statements(for: query)
        let isUp = !query.isDescending
        let first = (query.from?.milliseconds ?? .min, Int64.min)
        let last = (query.to?.milliseconds ?? .max, Int64.max)
        let position = query.after.map { ($0.signedDate.milliseconds, $0.id.number) } ?? (isUp ? first : last)
        var arguments = Arguments(
            query.scope.environment.rawValue,
            query.scope.app,
            position.0,
            position.1,
            isUp ? last.0 : first.0,
            query.type,
            query.isSubtypeFixed,
            query.subtype,
            query.endpoint == nil ? query.kind.rawValue : query.onlyFailures ? 1 : 0,
            query.limit
        )
        if let endpoint = query.endpoint { arguments.append([endpoint]) }
        if let account = query.account { arguments.append([account.partition.number, account.number]) }
        return Step(isUp ? up : down, arguments)
    }

    private static func statements(for query: NotificationQuery) -> (up: Statement, down: Statement) {
        guard query.endpoint != nil else {
            return query.account == nil ? (.madeUp, .madeDown) : (.madeForAccountUp, .madeForAccountDown)
        }
        if query.account != nil { return (.triedForAccountUp, .triedForAccountDown) }
        if query.onlyFailures { return (.failedUp, .failedDown) }
        return query.type == nil ? (.triedUp, .triedDown) : (.triedOfTypeUp, .triedOfTypeDown)
    }
}

extension PostgresStorage {
    package func notifications(_ query: NotificationQuery) async throws -> [OutboxEntry] {
        let step = NotificationPages.step(for: query)
        let entries = try await pool.perform {
            try $0.run(any: step.statement, step.arguments).map { try OutboxEntry($0) }
        }
        // The statement reads the page in this order, but the join does not preserve the order.
        let sorted = entries.sorted { ($0.signedDate, $0.id) < ($1.signedDate, $1.id) }
        return query.isDescending ? sorted.reversed() : sorted
    }
}
