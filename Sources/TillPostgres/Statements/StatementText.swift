import TillCore
import TillStorage

/// The SQL texts. Every statement that can know the partition of its rows contains a condition on the partition.
extension Statement {
    var sql: String {
        switch self {
        case .begin: "BEGIN"
        case .commit: "COMMIT"
        case .rollback: "ROLLBACK"
        case .savepoint: "SAVEPOINT change"
        case .release: "RELEASE SAVEPOINT change"
        case .rollbackToSavepoint: "ROLLBACK TO SAVEPOINT change"
        case .ping: "SELECT 1"

        case .accountByID: "SELECT \(AccountRow.list) FROM accounts WHERE partition = $1 AND account = $2"
        case .accountByCustomer:
            """
            SELECT \(AccountRow.list) FROM accounts
            WHERE partition = $1 AND \(ShopTable.environment) = $2 AND app = $3 AND customer = $4
            """
        case .accountsOfScope:
            """
            SELECT \(AccountRow.list) FROM accounts WHERE \(ShopTable.environment) = $1 AND app = $2 AND account > $3
            ORDER BY account LIMIT $4
            """
        case .accountsOfAll:
            "SELECT \(AccountRow.list) FROM accounts WHERE account > $1 ORDER BY account LIMIT $2"
        case .nextDueOfAccount: "SELECT next_due FROM accounts WHERE partition = $1 AND account = $2"
        case .insertAccount:
            """
            INSERT INTO accounts
                (partition, account, version, change_number, row_count, state, clock, next_due,
                \(ShopTable.environment), app, customer)
            VALUES (\(Self.places(11)))
            """
        case .updateAccount:
            Self.guarded(
                """
                UPDATE accounts
                SET version = $3, change_number = $4, row_count = $5, state = $6, clock = $7, next_due = $8
                WHERE partition = $1 AND account = $2 AND version = $9
                """
            )

        case .insertRow:
            "INSERT INTO ledger (\(LedgerRow.list)) VALUES (\(Self.places(LedgerRow.columns.count)))"
        case .moveRow: Self.guarded(Self.moveRowText)
        case .ownerOfRow:
            """
            SELECT a.account FROM ledger l JOIN accounts a ON a.partition = l.partition AND a.account = l.account
            WHERE l.partition = $1 AND l.id = $2 AND a.partition = $1 AND a.\(ShopTable.environment) = $3 AND a.app = $4
            """
        case .rowByID: "SELECT \(LedgerRow.list) FROM ledger WHERE partition = $1 AND id = $2"
        case .rowsOfOrder:
            "SELECT \(LedgerRow.list) FROM ledger WHERE partition = $1 AND order_number = $2 ORDER BY order_number, id"
        case .refundsAfter:
            """
            SELECT \(LedgerRow.list) FROM ledger WHERE partition = $1 AND account = $2 AND refund_number > $3
            ORDER BY refund_number LIMIT $4
            """
        case .latestRefunds:
            """
            SELECT \(LedgerRow.list) FROM ledger WHERE partition = $1 AND account = $2 AND refund_number > 0
            ORDER BY refund_number DESC LIMIT $3
            """
        case .historyUp: Self.history(isAscending: true, isFiltered: false)
        case .historyDown: Self.history(isAscending: false, isFiltered: false)
        case .filteredHistoryUp: Self.history(isAscending: true, isFiltered: true)
        case .filteredHistoryDown: Self.history(isAscending: false, isFiltered: true)

        case .dueAccounts: DueStatements.accounts(in: "true")
        case .dueAccountsInPart: DueStatements.accounts(in: "partition >= $6 AND partition < $7")
        case .nextDueOnClock: DueStatements.next(in: "true")
        case .nextDueInPart: DueStatements.next(in: "partition >= $4 AND partition < $5")
        case .dueDeliveries: DueStatements.deliveries(in: "true")
        case .dueDeliveriesInPart: DueStatements.deliveries(in: "partition >= $7 AND partition < $8")
        case .pendingCount:
            """
            SELECT count(*) FROM deliveries
            WHERE \(ShopTable.environment) = $1 AND app = $2 AND clock = $3 AND due IS NOT NULL AND due <= $4
            """
        case .pendingEndpoints:
            "SELECT DISTINCT \(ShopTable.environment), app, endpoint FROM deliveries WHERE due IS NOT NULL"

        case .insertEntry:
            "INSERT INTO outbox (\(OutboxRow.list)) VALUES (\(Self.places(OutboxRow.columns.count)))"
        case .entryByID: "SELECT \(OutboxRow.list) FROM outbox WHERE partition = $1 AND id = $2"
        case .entryByUUID:
            "SELECT \(OutboxRow.list) FROM outbox WHERE uuid = $1 AND \(ShopTable.environment) = $2 AND app = $3"
        case .insertDelivery:
            "INSERT INTO deliveries (\(DeliveryRow.list)) VALUES (\(Self.places(DeliveryRow.columns.count)))"
        case .recordDelivery:
            """
            UPDATE deliveries SET due = $4, attempts = $5, is_delivered = $6, log = $7
            WHERE partition = $1 AND notification = $2 AND endpoint = $3
                AND (attempts < $5 OR (attempts = $5 AND log = $7))
                AND ($8::bigint IS NULL OR $8 = (SELECT value FROM generations WHERE kind = 'era'))
            """
        case .redeliver:
            "UPDATE deliveries SET due = $4 WHERE partition = $1 AND notification = $2 AND endpoint = $3"
        case .dropDeliveries:
            """
            UPDATE deliveries SET due = NULL
            WHERE \(ShopTable.environment) = $1 AND app = $2 AND endpoint = $3 AND due IS NOT NULL
            """
        case .moveDeliveries:
            "UPDATE deliveries SET clock = $3 WHERE partition = $1 AND account = $2 AND due IS NOT NULL"
        case .deliveriesOfEntry:
            """
            SELECT \(DeliveryRow.list) FROM deliveries WHERE partition = $1 AND notification = $2
            ORDER BY partition, notification, endpoint
            """
        case .deliveryToEndpoint:
            """
            SELECT \(DeliveryRow.list) FROM deliveries WHERE partition = $1 AND notification = $2 AND endpoint = $3
            """
        case .madeUp: NotificationPages.made(isAscending: true, isOfAccount: false)
        case .madeDown: NotificationPages.made(isAscending: false, isOfAccount: false)
        case .madeForAccountUp: NotificationPages.made(isAscending: true, isOfAccount: true)
        case .madeForAccountDown: NotificationPages.made(isAscending: false, isOfAccount: true)
        case .triedUp: NotificationPages.tried(isAscending: true)
        case .triedDown: NotificationPages.tried(isAscending: false)
        case .triedOfTypeUp: NotificationPages.tried(isAscending: true, "type = $6")
        case .triedOfTypeDown: NotificationPages.tried(isAscending: false, "type = $6")
        case .failedUp: NotificationPages.tried(isAscending: true, "is_delivered = 0")
        case .failedDown: NotificationPages.tried(isAscending: false, "is_delivered = 0")
        case .triedForAccountUp: NotificationPages.tried(isAscending: true, NotificationPages.ofAccount)
        case .triedForAccountDown: NotificationPages.tried(isAscending: false, NotificationPages.ofAccount)

        case .documentsOfKind: "SELECT name, app, body FROM documents WHERE kind = $1 ORDER BY kind, name"
        case .putDocument:
            """
            INSERT INTO documents (kind, name, app, body) VALUES ($1, $2, $3, $4)
            ON CONFLICT (kind, name) DO UPDATE SET app = excluded.app, body = excluded.body
            """
        case .removeDocument: "DELETE FROM documents WHERE kind = $1 AND name = $2"
        case .reserveIdentifiers:
            """
            UPDATE identifiers SET next = next + $1
            WHERE series = 'all' AND next BETWEEN 0 AND \(Identifiers.maxCounters) - $1 RETURNING next
            """
        case .identifierHighWater: "SELECT next FROM identifiers WHERE series = 'all'"
        case .countRedemption:
            Self.guarded(
                """
                INSERT INTO redemptions (\(ShopTable.environment), app, product, offer, redeemed)
                SELECT $1, $2, $3, $4, 1 WHERE $5::bigint >= 1
                ON CONFLICT (\(ShopTable.environment), app, product, offer)
                DO UPDATE SET redeemed = redemptions.redeemed + 1 WHERE redemptions.redeemed < $5
                """
            )
        case .appendRequestLog:
            """
            INSERT INTO journal (id, entry) VALUES ($1, $2)
            ON CONFLICT (id) DO UPDATE SET number = excluded.number, entry = excluded.entry
            """
        case .trimRequestLog: "DELETE FROM journal WHERE number <= (SELECT max(number) FROM journal) - $1"
        case .requestLogByID: "SELECT entry FROM journal WHERE id = $1"
        case .newestRequestLog:
            "SELECT number, entry FROM journal WHERE number < $1 ORDER BY number DESC LIMIT $2"

        case .enterSnapshot:
            "INSERT INTO snapshots (name, app, saved_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING"
        case .countSnapshot: SnapshotCounts.statement + " WHERE name = $1"
        case .growSnapshot:
            """
            UPDATE snapshots SET customers = customers + $2, transactions = transactions + $3,
                notifications = notifications + $4
            WHERE name = $1
            """
        case .removeSnapshot: "DELETE FROM snapshots WHERE name = $1"
        case .snapshotByName: "SELECT app FROM snapshots WHERE name = $1"
        case .allSnapshots:
            "SELECT name, app, saved_at, customers, transactions, notifications FROM snapshots ORDER BY name"
        case .raiseIdentifiers: "UPDATE identifiers SET next = greatest(next, $1) WHERE series = 'all'"

        case .lockShared, .lockAlone, .checkWritePrecondition, .raiseConfigurationVersion, .raiseEra,
            .allConfigurationVersions, .announce,
            .enterNode, .retireNode, .beatNode, .expiredNode, .reapNodes, .allNodes, .leaveNode, .noteSeen, .notDurably,
            .renewNode,
            .takeLease, .releaseLease, .allLeases, .keepDocument, .documentByName:
            NodeStatements.text(of: self)
        case .putAudit, .newestAudit, .oldestAudit, .pruneAudit, .eraseAuditCustomer, .eraseAuditObject:
            AuditStatements.text(of: self)

        case .beginExamination: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        case .misplacedRows, .misplacedAccounts, .miscounted, .beyondHead, .refundsWithoutNumber, .halfRevocations,
            .copiesWithoutSource, .strangeClocks,
            .deliveriesOnStrangeClocks, .missingNotifications, .orphanedDeliveries, .missingChains, .fallenIdentifiers:
            Examination.text(of: self)

        case .prunable:
            """
            SELECT id, signed_date,
                (SELECT count(*) FROM deliveries d WHERE d.partition = o.partition AND d.notification = o.id),
                (
                    SELECT count(*) FROM deliveries d
                    WHERE d.partition = o.partition AND d.notification = o.id AND d.due IS NOT NULL
                )
            FROM outbox o
            WHERE \(ShopTable.environment) = $1 AND app = $2 AND (signed_date, id) > ($3, $4) AND signed_date < $5
                AND id < $6
                AND (type <> 'TEST' OR signed_date < $7)
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
        case .eraseDeliveries:
            """
            DELETE FROM deliveries d USING outbox o
            WHERE o.partition = $1 AND o.account = $2 AND d.partition = $1 AND d.notification = o.id
            """
        case .eraseEntries: "DELETE FROM outbox WHERE partition = $1 AND account = $2"
        case .eraseRows: "DELETE FROM ledger WHERE partition = $1 AND account = $2"
        case .eraseAccount:
            Self.guarded("DELETE FROM accounts WHERE partition = $1 AND account = $2 AND version = $3")
        case .eraseRequestLogEntry: "DELETE FROM journal WHERE number = $1"
        case .requestLogPage: "SELECT number, entry FROM journal WHERE number > $1 ORDER BY number LIMIT $2"
        case .snapshotsHolding:
            """
            SELECT DISTINCT snapshot FROM snapshot_accounts
            WHERE \(ShopTable.environment) = $1 AND app = $2 AND customer = $3
            ORDER BY snapshot
            """
        }
    }

    private static func places(_ count: Int) -> String {
        (1...count).map { "$\($0)" }.joined(separator: ", ")
    }

    /// A write that must match a row. If it matches none, it divides by zero, because only an error makes the server
    /// skip the rest of the change, which was already sent.
    private static func guarded(_ write: String) -> String {
        "WITH written AS (\(write) RETURNING 1) SELECT 1 / count(*) FROM written"
    }

    /// A changed transaction moves to the end of the history. A transaction that was only marked as finished keeps its
    /// position.
    private static var moveRowText: String {
        let key: Set = ["partition", "account", "id"]
        let values = LedgerRow.columns.enumerated().filter { !key.contains($0.element) }
            .map { "\($0.element) = $\($0.offset + 1)" }
        let before = LedgerRow.columns.count + 1
        return """
            UPDATE ledger SET \(values.joined(separator: ", "))
            WHERE partition = $1 AND account = $2 AND change = $\(before) AND id = $4
            """
    }

    /// Reads the account's last change number and a page in one statement, so that both have the state of the same
    /// moment.
    ///
    /// The page is one range of the primary key, from which filters remove rows. A filter that is not used is null.
    private static func history(isAscending: Bool, isFiltered: Bool) -> String {
        let filters = """
            AND ($5::bigint IS NULL OR purchase_date >= $5) AND ($6::bigint IS NULL OR purchase_date < $6)
            AND ($7::text[] IS NULL OR product = ANY ($7)) AND ($8::text[] IS NULL OR type = ANY ($8))
            AND ($9::text[] IS NULL OR subscription_group = ANY ($9)) AND ($10::text IS NULL OR ownership = $10)
            AND ($11::bigint IS NULL OR (revocation_date IS NOT NULL) = ($11 = 1))
            AND (
                $12::bigint = 0
                OR NOT (type = '\(ProductKind.consumable.rawValue)' AND is_finished = 1 AND revocation_date IS NULL)
            )
            """
        return """
            SELECT a.change_number, l.* FROM accounts a LEFT JOIN LATERAL (
                SELECT \(LedgerRow.list) FROM ledger
                WHERE partition = $1 AND account = $2 AND change \(isAscending ? ">" : "<") $3
                \(isFiltered ? filters : "")
                ORDER BY partition, account, change \(isAscending ? "" : "DESC") LIMIT $4
            ) l ON true
            WHERE a.partition = $1 AND a.account = $2
            """
    }
}
