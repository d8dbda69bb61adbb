import TillCore
import TillStorage

/// The SQL texts.
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
        case .databaseSize: "SELECT pg_database_size(current_database())"

        case .historyUp: Self.history(isAscending: true, isFiltered: false)
        case .historyDown: Self.history(isAscending: false, isFiltered: false)
        case .filteredHistoryUp: Self.history(isAscending: true, isFiltered: true)
        case .filteredHistoryDown: Self.history(isAscending: false, isFiltered: true)

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
            .allConfigurationVersions, .announce, .forgetReplacements, .noteReplacement, .replacementsAfter,
            .enterNode, .retireNode, .beatNode, .expiredNode, .reapNodes, .allNodes, .leaveNode, .noteSeen, .notDurably,
            .renewNode,
            .takeLease, .releaseLease, .allLeases:
            NodeStatements.text(of: self)

        case .beginExamination: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        }
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
                SELECT \(Transaction.format.list) FROM ledger
                WHERE partition = $1 AND account = $2 AND change \(isAscending ? ">" : "<") $3
                \(isFiltered ? filters : "")
                ORDER BY partition, account, change \(isAscending ? "" : "DESC") LIMIT $4
            ) l ON true
            WHERE a.partition = $1 AND a.account = $2
            """
    }
}
