import Foundation
import GRDB
import TillCore
import TillStorage

/// Due accounts and deliveries, and the pending deliveries to developers' servers.
extension SQLiteStorage {
    package func dueAccounts(on clock: ClockName, until: Timestamp, limit: Int) async throws -> [DueAccount] {
        try await pool.read { db in
            try db.keptRows(
                of: "accounts",
                """
                SELECT account, customer, next_due FROM accounts
                WHERE \(ShopTable.environment) = ? AND app = ? AND clock = ? AND next_due IS NOT NULL AND next_due <= ?
                ORDER BY next_due, account LIMIT ?
                """,
                Self.place(of: clock) + [until.milliseconds, limit]
            ).compactMap { DueAccount($0) }
        }
    }

    package func nextDue(of id: AccountID) async throws -> Timestamp? {
        let due = try hot.first(
            of: "accounts",
            "SELECT next_due FROM accounts WHERE partition = ? AND account = ?",
            [.integer(id.partition.number), .integer(id.number)]
        ) { try $0.maybeInteger(0) }
        return due.flatMap(\.self).map { Timestamp(milliseconds: $0) }
    }

    package func nextDue(on clock: ClockName) async throws -> Timestamp? {
        try await pool.read { db in
            // Numbers sort before all other types. The smallest value is therefore a number, unless all values are
            // damaged.
            let due = try db.keptRows(
                of: "accounts",
                """
                SELECT min(next_due) FROM accounts
                WHERE \(ShopTable.environment) = ? AND app = ? AND clock = ? AND next_due IS NOT NULL
                """,
                Self.place(of: clock)
            ).first.flatMap { try? $0.maybeInteger(0) }
            return due.map { Timestamp(milliseconds: $0) }
        }
    }

    package func dueDeliveries(to endpoint: String, on clock: ClockName, until: Timestamp, limit: Int) async throws
        -> DueDeliveries
    {
        let sql = """
            SELECT \(DeliveryRow.columns) FROM deliveries
            WHERE \(ShopTable.environment) = ? AND app = ? AND clock = ? AND endpoint = ? AND due IS NOT NULL
                AND due <= ?
            ORDER BY due, notification LIMIT ?
            """
        let arguments = Self.place(of: clock) + [endpoint, until.milliseconds, limit]
        return try await pool.read { db in
            DueDeliveries(
                try db.keptRows(of: "deliveries", sql, arguments).map { cells in
                    Result { () throws(DamagedRow) in try Delivery(cells) }
                }
            )
        }
    }

    package func deliveries(of ids: [NotificationID]) async throws -> [NotificationID: [Delivery]] {
        try await pool.read { db in
            let sql = """
                SELECT \(DeliveryRow.columns) FROM deliveries WHERE partition = ? AND notification = ?
                ORDER BY endpoint
                """
            var found: [NotificationID: [Delivery]] = [:]
            for id in ids {
                let rows = try db.keptRows(of: "deliveries", sql, [id.partition.number, id.number])
                if !rows.isEmpty { found[id] = try rows.map { try Delivery($0) } }
            }
            return found
        }
    }

    package func deliveries(of ids: [NotificationID], to endpoint: String) async throws -> [NotificationID: Delivery] {
        try await pool.read { db in
            let sql = """
                SELECT \(DeliveryRow.columns) FROM deliveries
                WHERE partition = ? AND notification = ? AND endpoint = ?
                """
            var found: [NotificationID: Delivery] = [:]
            for id in ids {
                let row = try db.keptRows(of: "deliveries", sql, [id.partition.number, id.number, endpoint]).first
                found[id] = try row.map { try Delivery($0) }
            }
            return found
        }
    }

    package func pendingDeliveries(on clock: ClockName, until: Timestamp?) async throws -> Int {
        try await pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT count(*) FROM deliveries
                    WHERE \(ShopTable.environment) = ? AND app = ? AND clock = ? AND due IS NOT NULL AND due <= ?
                    """
            )
            let limit = until?.milliseconds ?? Int64.max
            return try Int.fetchOne(statement, arguments: Self.place(of: clock) + [limit]) ?? 0
        }
    }

    package func pendingEndpoints() async throws -> [EndpointName] {
        try await pool.read { db in
            // A damaged delivery must not hide the other deliveries; the doctor reports it.
            try db.rows(
                of: "deliveries",
                "SELECT DISTINCT \(ShopTable.environment), app, endpoint FROM deliveries WHERE due IS NOT NULL"
            )
            .compactMap { row in
                guard let environment = try? row.known(0, StoreEnvironment.init(rawValue:)),
                    let app = try? row.text(1),
                    let endpoint = try? row.text(2)
                else { return nil }
                return EndpointName(AccountScope(environment: environment, app: app), endpoint)
            }
        }
    }

    package func dropDeliveries(to endpoint: String, in scope: AccountScope) async throws {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE deliveries SET due = NULL
                    WHERE \(ShopTable.environment) = ? AND app = ? AND endpoint = ? AND due IS NOT NULL
                    """,
                arguments: [scope.environment.rawValue, scope.app, endpoint]
            )
        }
    }

    package func redeliver(_ id: NotificationID, to endpoints: [String], due: Timestamp) async throws {
        try await write { db in
            let statement = try db.cachedStatement(
                sql: "UPDATE deliveries SET due = ? WHERE partition = ? AND notification = ? AND endpoint = ?"
            )
            for endpoint in endpoints {
                try statement.execute(arguments: [due.milliseconds, id.partition.number, id.number, endpoint])
            }
        }
    }

    /// Ignores the epoch: only one server uses this database, and its locks make an epoch unnecessary.
    package func record(_ deliveries: [Delivery], epoch: Int64?) async throws {
        let logs = try deliveries.map { try $0.storedLog() }
        try await pool.write { db in
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE deliveries SET due = ?, attempts = ?, is_delivered = ?, log = ?
                    WHERE partition = ? AND notification = ? AND endpoint = ?
                    """
            )
            for (delivery, log) in zip(deliveries, logs) {
                let id = delivery.notification
                try statement.execute(
                    arguments: [
                        delivery.due?.milliseconds, delivery.attempts.count, delivery.isDelivered, log,
                        id.partition.number, id.number, delivery.endpoint,
                    ]
                )
            }
        }
    }

    // MARK: Notifications

    package func notification(_ id: NotificationID) async throws -> OutboxEntry? {
        try await entries("WHERE id = ?", [id.number]).first
    }

    package func notification(uuid: String, in scope: AccountScope) async throws -> OutboxEntry? {
        try await entries(
            "WHERE uuid = ? AND \(ShopTable.environment) = ? AND app = ?",
            [uuid, scope.environment.rawValue, scope.app]
        ).first
    }

    package func notifications(_ query: NotificationQuery) async throws -> [OutboxEntry] {
        let (sql, arguments) = Self.statement(for: query)
        let entries = try await pool.read { db in
            try db.keptRows(of: "outbox", sql, arguments).map { try OutboxEntry($0) }
        }
        // The statement reads the page in this order, but the join does not preserve the order.
        let sorted = entries.sorted { ($0.signedDate, $0.id) < ($1.signedDate, $1.id) }
        return query.isDescending ? sorted.reversed() : sorted
    }

    /// The statement for a page: one index range, and a look-up for each notification of the page.
    static func statement(for query: NotificationQuery) -> (sql: String, arguments: StatementArguments) {
        let source = query.endpoint == nil ? "outbox" : "deliveries"
        let id = query.endpoint == nil ? "id" : "notification"
        // An account has few notifications. The plus sign stops the planner from using the indexes of the app, in which
        // these notifications are far apart.
        let mark = query.account == nil ? "" : "+"
        var conditions = ["\(mark)\(ShopTable.environment) = ?", "\(mark)app = ?"]
        var arguments: StatementArguments = [query.scope.environment.rawValue, query.scope.app]
        func require(_ condition: String, _ values: StatementArguments) {
            conditions.append(condition)
            arguments += values
        }
        if let endpoint = query.endpoint { require("endpoint = ? AND attempts > 0", [endpoint]) }
        if query.kind != .every, query.endpoint == nil { require("chain <> ''", []) }
        if query.kind == .caused, query.endpoint == nil { require("is_triggered = 0", []) }
        if query.onlyFailures, query.endpoint != nil { require("\(mark)is_delivered = 0", []) }
        if let account = query.account { require("account = ?", [account.number]) }
        if let type = query.type { require("type = ?", [type]) }
        if query.isSubtypeFixed { require("subtype IS ?", [query.subtype]) }
        // The bound of this page is narrower than the start date, and an index uses only one of these bounds.
        let goesOn = query.after != nil
        if let from = query.from, !goesOn || query.isDescending { require("signed_date >= ?", [from.milliseconds]) }
        if let to = query.to, !goesOn || !query.isDescending { require("signed_date <= ?", [to.milliseconds]) }
        if let after = query.after {
            let sign = query.isDescending ? "<" : ">"
            require("(signed_date, \(id)) \(sign) (?, ?)", [after.signedDate.milliseconds, after.id.number])
        }
        let order = query.isDescending ? "DESC" : "ASC"
        let sql = """
            SELECT \(OutboxRow.columns) FROM (
                SELECT \(id) AS id FROM \(source) WHERE \(conditions.joined(separator: " AND "))
                ORDER BY signed_date \(order), \(id) \(order) LIMIT ?
            ) AS page CROSS JOIN outbox USING (id)
            """
        return (sql, arguments + [query.limit])
    }

    // MARK: Reading

    private static func place(of clock: ClockName) -> StatementArguments {
        [clock.scope.environment.rawValue, clock.scope.app, clock.key]
    }

    private func entries(_ condition: String, _ arguments: StatementArguments) async throws -> [OutboxEntry] {
        try await pool.read { db in
            try db.keptRows(of: "outbox", "SELECT \(OutboxRow.columns) FROM outbox \(condition)", arguments)
                .map { try OutboxEntry($0) }
        }
    }
}

extension DueAccount {
    /// Reads account, customer and due date; nil for an account without a number. If another cell is damaged, the
    /// account is still due, so that its update finds the damage and quarantines the account.
    fileprivate init?(_ cells: RowCells) {
        guard let number = try? cells.integer(0) else { return nil }
        self.init(
            id: AccountID(number),
            customer: (try? cells.text(1)) ?? "account \(number)",
            due: Timestamp(milliseconds: (try? cells.integer(2)) ?? 0)
        )
    }
}
