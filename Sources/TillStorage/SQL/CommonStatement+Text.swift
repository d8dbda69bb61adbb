import TillCore

/// The SQL texts. Every statement that can know the partition of its rows contains a condition on the partition.
extension CommonStatement {
    /// The text. A condition with `@` before its column is not for the planner of SQLite: SQLite has a better index,
    /// while PostgreSQL finds the partition by the condition.
    var text: String {
        switch self {
        case .accountByID: Self.accounts + " WHERE partition = $1 AND account = $2"
        case .accountByCustomer:
            Self.accounts + " WHERE partition = $1 AND \(Self.environment) = $2 AND app = $3 AND customer = $4"
        case .accountsOfScope:
            Self.accounts + " WHERE \(Self.environment) = $1 AND app = $2 AND account > $3 ORDER BY account LIMIT $4"
        case .accountsOfAll: Self.accounts + " WHERE account > $1 ORDER BY account LIMIT $2"
        case .insertAccount: AccountChange.format.insert
        case .updateAccount: AccountChange.update
        case .nextDueOfAccount: "SELECT next_due FROM accounts WHERE partition = $1 AND account = $2"

        case .insertRow: Transaction.format.insert
        case .moveRow: Self.moveRowText
        case .ownerOfRow: Self.ownerOfRow(epoch: "(SELECT value FROM generations WHERE kind = 'era')")
        case .rowByID: Self.ledger + " WHERE @partition = $1 AND id = $2"
        case .rowsOfOrder: Self.ledger + " WHERE @partition = $1 AND order_number = $2 ORDER BY order_number, id"
        case .refundsAfter:
            Self.ledger
                + " WHERE partition = $1 AND account = $2 AND refund_number > $3 ORDER BY refund_number LIMIT $4"
        case .latestRefunds:
            Self.ledger
                + " WHERE partition = $1 AND account = $2 AND refund_number > 0 ORDER BY refund_number DESC LIMIT $3"

        case .foreignIdentifier:
            "SELECT \(ForeignIdentifier.format.list) FROM foreign_identifiers "
                + "WHERE \(Self.environment) = $1 AND app = $2 AND kind = $3 AND foreign_id = $4"
        case .insertForeignIdentifier: Self.reserveForeignIdentifier
        case .reservedCounters:
            "SELECT \(ForeignIdentifier.format.list) FROM foreign_identifiers "
                + "WHERE counter >= $1 AND counter < $2 OR counter IS NULL"
        case .eraseForeignIdentifiers: "DELETE FROM foreign_identifiers WHERE account = $1"

        // The bounds select the partitions of a node. If the bounds contain one partition, the statement touches no
        // other.
        case .dueAccounts: Self.accountsDue("")
        case .dueAccountsInPart: Self.accountsDue("AND partition >= $6 AND partition < $7")
        case .dueDeliveries: Self.deliveriesDue("")
        case .dueDeliveriesInPart:
            Self.deliveriesDue("AND partition >= $7 AND partition < $8 AND \(Self.isCurrent("$9", app: "$2"))")
        case .pendingCount:
            """
            SELECT count(*) FROM deliveries
            WHERE \(Self.environment) = $1 AND app = $2 AND clock = $3 AND due IS NOT NULL AND due <= $4
            """
        case .pendingByClock:
            "SELECT \(Self.environment), app, clock, count(*), min(signed_date) FROM deliveries WHERE due IS NOT NULL "
                + "GROUP BY \(Self.environment), app, clock"
        case .pendingEndpoints:
            "SELECT DISTINCT \(Self.environment), app, endpoint FROM deliveries WHERE due IS NOT NULL"

        case .insertEntry: OutboxEntry.format.insert
        // The first signatures stay: another reader, or another node, may have sent or shown them.
        case .signEntry:
            """
            UPDATE outbox SET chain = $3, body_signature = $4, transaction_signature = $5, renewal_signature = $6
            WHERE partition = $1 AND id = $2 AND chain = '\(NotificationContent.unsignedChain)'
            """
        case .entryByID: Self.outbox + " WHERE partition = $1 AND id = $2"
        case .entryByUUID: Self.outbox + " WHERE uuid = $1 AND \(Self.environment) = $2 AND app = $3"
        case .insertDelivery: Delivery.format.insert
        case .recordDelivery:
            Self.recordAttempts + """
                 AND (attempts < $5 OR (attempts = $5 AND log = $7))
                AND
                """ + Self.isCurrent("$8", app: "app")
        // A delivery that is due already gets an earlier date, so that an attempt in progress does not end the new
        // delivery, too (`recordAttempts`).
        case .redeliver:
            """
            UPDATE deliveries SET due = CASE WHEN due <= $4 THEN due - 1 ELSE $4 END
            WHERE partition = $1 AND notification = $2 AND endpoint = $3
            """
        case .dropDeliveries:
            """
            UPDATE deliveries SET due = NULL
            WHERE \(Self.environment) = $1 AND app = $2 AND endpoint = $3 AND due IS NOT NULL
            """
        case .moveDeliveries:
            "UPDATE deliveries SET clock = $3 WHERE @partition = $1 AND account = $2 AND due IS NOT NULL"
        case .deliveriesOfEntry:
            Self.deliveries
                + " WHERE partition = $1 AND notification = $2 ORDER BY partition, notification, endpoint"
        case .prunable:
            """
            SELECT id, signed_date, (\(Self.deliveriesOf)), (\(Self.deliveriesOf) AND d.due IS NOT NULL) FROM outbox o
            WHERE \(Self.environment) = $1 AND app = $2 AND (signed_date, id) > ($3, $4) AND signed_date < $5
                AND id < $6 AND (type <> 'TEST' OR signed_date < $7)
            ORDER BY signed_date, id LIMIT $8
            """
        case .pruneDeliveries:
            """
            DELETE FROM deliveries WHERE partition = $1 AND notification = $2 AND due IS NULL AND NOT EXISTS (
                SELECT 1 FROM deliveries WHERE partition = $1 AND notification = $2 AND due IS NOT NULL
            )
            """
        case .pruneEntry:
            """
            DELETE FROM outbox WHERE partition = $1 AND id = $2
                AND NOT EXISTS (SELECT 1 FROM deliveries WHERE partition = $1 AND notification = $2)
            """

        case .rowsOfAccount: "SELECT count(*) FROM ledger WHERE partition = $1 AND account = $2"
        case .entriesOfAccount: "SELECT count(*) FROM outbox WHERE partition = $1 AND account = $2"
        case .deliveriesOfAccount:
            """
            SELECT count(*) FROM outbox o JOIN deliveries d ON d.notification = o.id
            WHERE o.partition = $1 AND o.account = $2 AND d.partition = $1
            """
        case .snapshotsHolding:
            """
            SELECT DISTINCT snapshot FROM snapshot_accounts
            WHERE \(Self.environment) = $1 AND app = $2 AND customer = $3 ORDER BY snapshot
            """
        case .eraseDeliveries:
            """
            DELETE FROM deliveries d USING outbox o
            WHERE o.partition = $1 AND o.account = $2 AND d.partition = $1 AND d.notification = o.id
            """
        case .eraseEntries: "DELETE FROM outbox WHERE partition = $1 AND account = $2"
        case .eraseRows: "DELETE FROM ledger WHERE partition = $1 AND account = $2"
        case .eraseAccount: "DELETE FROM accounts WHERE partition = $1 AND account = $2 AND version = $3"

        case .documentsOfKind: Self.documents + " WHERE kind = $1 ORDER BY kind, name"
        case .documentByName: Self.documents + " WHERE kind = $1 AND name = $2"
        case .putDocument:
            Document.format.insert
                + " ON CONFLICT (kind, name) DO UPDATE SET app = excluded.app, body = excluded.body"
        case .keepDocument: Document.format.insert + " ON CONFLICT (kind, name) DO NOTHING"
        case .removeDocument: "DELETE FROM documents WHERE kind = $1 AND name = $2"
        case .reserveIdentifiers: Self.reservation("")
        case .identifierHighWater: "SELECT next FROM identifiers WHERE series = 'all'"
        case .countRedemption:
            """
            INSERT INTO redemptions (\(Self.environment), app, product, offer, redeemed)
            SELECT $1, $2, $3, $4, 1 WHERE CAST($5 AS BIGINT) >= 1
            ON CONFLICT (\(Self.environment), app, product, offer)
            DO UPDATE SET redeemed = redemptions.redeemed + 1 WHERE redemptions.redeemed < $5
            """
        case .usedUpCode:
            """
            SELECT product, offer FROM redemptions
            WHERE \(Self.environment) = $1 AND app = $2 AND product = $3 AND offer = $4 AND redeemed >= $5
            """
        case .appendRequestLog:
            """
            INSERT INTO journal (id, entry) VALUES ($1, $2)
            ON CONFLICT (id) DO UPDATE SET number = excluded.number, entry = excluded.entry
            """
        case .trimRequestLog: "DELETE FROM journal WHERE number <= (SELECT max(number) FROM journal) - $1"
        case .requestLogByID: "SELECT number, entry FROM journal WHERE id = $1"
        case .newestRequestLog: "SELECT number, entry FROM journal WHERE number < $1 ORDER BY number DESC LIMIT $2"
        case .requestLogPage: "SELECT number, entry FROM journal WHERE number > $1 ORDER BY number LIMIT $2"
        case .eraseRequestLogEntry: "DELETE FROM journal WHERE number = $1"

        case .putAudit:
            AuditRecord.format.insert + """
                 ON CONFLICT (id) DO UPDATE SET status = excluded.status, code = excluded.code,
                    calls = CASE WHEN audit.calls > excluded.calls THEN audit.calls ELSE excluded.calls END
                WHERE excluded.code IS NOT NULL
                """
        case .newestAudit:
            """
            SELECT number, \(AuditRecord.format.list) FROM audit
            WHERE (date, number) < ($1, $2) AND date >= $3 AND (CAST($4 AS TEXT) IS NULL OR caller = $4)
                AND (CAST($5 AS TEXT) IS NULL OR operation = $5) AND (CAST($6 AS TEXT) IS NULL OR app = $6)
                AND (CAST($7 AS BIGINT) = 0 OR code IS NOT NULL)
            ORDER BY date DESC, number DESC LIMIT $8
            """
        case .oldestAudit:
            """
            SELECT number, \(AuditRecord.format.list) FROM audit WHERE (date, number) > ($1, $2)
            ORDER BY date, number LIMIT $3
            """
        case .pruneAudit:
            """
            DELETE FROM audit WHERE number IN (
                SELECT number FROM audit WHERE date < $1 ORDER BY date, number LIMIT $2
            ) RETURNING number
            """
        // An erased customer may be the customer of a record or the member of a family in it.
        case .eraseAuditCustomer: Self.eraseAudit("customer")
        case .eraseAuditObject: Self.eraseAudit("object")

        case .customersByPrefix, .ownersOfToken, .entryByUUIDAlone, .accountsOfSnapshot, .rowsOfSnapshot, .latestRows,
            .headsOfSnapshot, .heads:
            searchText

        default: invariant + " LIMIT 20"
        }
    }

    /// The text for SQLite; nil if it is the same.
    var sqliteText: String? {
        switch self {
        case .ownerOfRow: Self.ownerOfRow(epoch: "0")
        case .dueDeliveries: Self.deliveriesDue("", order: "due, notification")
        case .dueDeliveriesInPart: Self.deliveriesDue("AND partition >= $7 AND partition < $8 AND $9 IS $9")
        // SQLite has one server, whose locks make the other conditions unnecessary.
        case .recordDelivery: Self.recordAttempts + " AND $8 IS $8"
        case .eraseDeliveries:
            "DELETE FROM deliveries WHERE partition = $1 AND notification IN (SELECT id FROM outbox WHERE account = $2)"
        case .customersByPrefix: Self.sqliteCustomersByPrefix
        case .reserveIdentifiers: Self.reservation("typeof(next) = 'integer' AND")
        case .appendRequestLog: "INSERT OR REPLACE INTO journal (id, entry) VALUES ($1, $2)"
        default: sqliteInvariant.map { $0 + " LIMIT 20" }
        }
    }

    static let environment = ShopTable.environment

    private static let accounts = "SELECT \(AccountRow.list) FROM accounts"
    private static let ledger = "SELECT \(Transaction.format.list) FROM ledger"
    private static let outbox = "SELECT \(OutboxEntry.format.list) FROM outbox"
    private static let deliveries = "SELECT \(Delivery.format.list) FROM deliveries"
    private static let documents = "SELECT \(Document.format.list) FROM documents"

    /// The number of deliveries of the notification `o`.
    private static let deliveriesOf =
        "SELECT count(*) FROM deliveries d WHERE d.partition = o.partition AND d.notification = o.id"

    /// Stores the attempts. A delivery that was discarded or requested again during an attempt keeps its date. In
    /// PostgreSQL, it does not overwrite an attempt that another node has recorded first, and writes nothing after a
    /// replacement of the app's data.
    private static let recordAttempts = """
        UPDATE deliveries
        SET due = CASE WHEN due IS NULL OR due <> $9 THEN due ELSE $4 END, attempts = $5, is_delivered = $6, log = $7
        WHERE partition = $1 AND notification = $2 AND endpoint = $3
        """

    /// Whether the data of an app was not replaced after the epoch of a parameter, or the parameter is null. The app
    /// with the empty name stands for all apps.
    private static func isCurrent(_ parameter: String, app: String) -> String {
        """
        (\(parameter)::bigint IS NULL OR NOT EXISTS (
            SELECT 1 FROM replacements r WHERE r.name IN ('', \(app)) AND r.epoch > \(parameter)
        ))
        """
    }

    /// - Parameter epoch: An expression for the epoch of the database.
    private static func ownerOfRow(epoch: String) -> String {
        """
        SELECT a.account, a.version, a.change_number, \(epoch)
        FROM ledger l JOIN accounts a ON a.partition = l.partition AND a.account = l.account
        WHERE @l.partition = $1 AND l.id = $2 AND @a.partition = $1 AND @a.\(Self.environment) = $3 AND @a.app = $4
        """
    }

    /// A changed transaction moves to the end of the history. A transaction that was only marked as finished keeps its
    /// position. The last parameter is the change number before.
    private static var moveRowText: String {
        let columns = Transaction.format.columns.map(\.name)
        return StatementSQL.update("ledger", columns, key: ["partition", "account", "id"])
            + " AND change = $\(columns.count + 1)"
    }

    /// The due accounts, earliest first. Each partition is an ordered index range. In SQLite, a due date that is a text
    /// is later than every instant.
    private static func accountsDue(_ part: String) -> String {
        """
        SELECT account, customer, next_due FROM accounts
        WHERE \(environment) = $1 AND app = $2 AND clock = $3 AND next_due IS NOT NULL AND next_due <= $4 \(part)
        ORDER BY next_due, account LIMIT $5
        """
    }

    /// The due deliveries. In PostgreSQL, those of the same instant are ordered by their signed dates, not by their
    /// numbers, because each node uses number ranges of its own.
    private static func deliveriesDue(_ part: String, order: String = "due, signed_date, notification") -> String {
        """
        \(deliveries) WHERE \(environment) = $1 AND app = $2 AND clock = $3 AND endpoint = $4
            AND due IS NOT NULL AND due <= $5 \(part)
        ORDER BY \(order) LIMIT $6
        """
    }

    private static func reservation(_ condition: String) -> String {
        """
        UPDATE identifiers SET next = next + $1
        WHERE series = 'all' AND \(condition) next BETWEEN 0 AND \(Identifiers.maxCounters) - $1 RETURNING next
        """
    }

    /// Adds an identifier of another store, unless a transaction, account or order of the app's environment has it.
    private static let reserveForeignIdentifier = """
        INSERT INTO foreign_identifiers (\(ForeignIdentifier.format.list))
        SELECT $1, $2, $3, $4, CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT)
        WHERE NOT EXISTS (
            SELECT 1 FROM ledger l JOIN accounts a ON a.partition = l.partition AND a.account = l.account
            WHERE @l.partition = $8 AND l.id = $9 AND @a.partition = $8 AND @a.\(environment) = $1 AND @a.app = $2
        ) AND NOT EXISTS (
            SELECT 1 FROM ledger l JOIN accounts a ON a.partition = l.partition AND a.account = l.account
            WHERE @l.partition = $8 AND l.order_number = $10 AND @a.partition = $8 AND @a.\(environment) = $1
                AND @a.app = $2
        ) AND NOT EXISTS (
            SELECT 1 FROM accounts
            WHERE partition = $8 AND account = $9 AND @\(environment) = $1 AND @app = $2
        ) ON CONFLICT (\(environment), app, kind, foreign_id) DO NOTHING
        """

    private static func eraseAudit(_ column: String) -> String {
        "UPDATE audit SET \(column) = NULL WHERE app = $1 AND environment = $2 AND \(column) = $3"
    }
}
