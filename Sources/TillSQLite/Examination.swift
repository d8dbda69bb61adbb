import Foundation
import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    package func examine() async throws -> [String] {
        try await pool.read { db in
            var findings: [String] = []
            for line in try String.fetchAll(db, sql: "PRAGMA integrity_check(20)") where line != "ok" {
                findings.append("The database file is damaged: \(line)")
            }
            for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_check") {
                findings.append("A row of \(row[0] as String? ?? "?") names an account that does not exist.")
            }
            for check in Self.checks {
                for row in try Row.fetchAll(db, sql: check.sql + " LIMIT 20") { findings.append(check.sentence(row)) }
            }
            return findings
        }
    }

    private struct Check: Sendable {
        let sql: String
        let sentence: @Sendable (Row) -> String
    }

    /// What must hold between the rows of the engine; what must hold between rows and rules is the shop's doctor's.
    private static let checks: [Check] = [
        Check(sql: "SELECT id, partition FROM ledger WHERE id % 1024 <> partition OR account % 1024 <> partition") {
            "Transaction \($0[0] as Int64) lies in partition \($0[1] as Int64), which is not that of its ids."
        },
        Check(sql: "SELECT account, partition FROM accounts WHERE account % 1024 <> partition") {
            "Account \($0[0] as Int64) lies in partition \($0[1] as Int64), which is not that of its number."
        },
        Check(
            sql: """
                SELECT a.account, a.row_count, count(l.change) AS counted
                FROM accounts a LEFT JOIN ledger l ON l.partition = a.partition AND l.account = a.account
                GROUP BY a.partition, a.account HAVING counted <> a.row_count
                """
        ) {
            "Account \($0[0] as Int64) should have \($0[1] as Int64) transactions and has \($0[2] as Int64)."
        },
        Check(
            sql: """
                SELECT l.id, l.change, a.change_number FROM ledger l
                JOIN accounts a ON a.partition = l.partition AND a.account = l.account
                WHERE l.change > a.change_number OR l.change < 1
                """
        ) {
            "Transaction \($0[0] as Int64) has change number \($0[1] as Int64); "
                + "its account has only reached \($0[2] as Int64)."
        },
        Check(
            sql: """
                SELECT id FROM ledger
                WHERE (refund_number IS NOT NULL) <>
                    (revocation_date IS NOT NULL AND revocation_kind <> 'FAMILY_REVOKE')
                """
        ) {
            "Transaction \($0[0] as Int64) has a refund number without a refund, or a refund without its number."
        },
        Check(
            sql: """
                SELECT id FROM ledger
                WHERE (revocation_date IS NULL) <> (revocation_reason IS NULL)
                    OR (revocation_date IS NULL) <> (revocation_kind IS NULL)
                """
        ) {
            "Transaction \($0[0] as Int64) has a revocation without its date, reason or kind."
        },
        Check(sql: "SELECT id FROM ledger WHERE (ownership = 'FAMILY_SHARED') <> (shared_from IS NOT NULL)") {
            "Transaction \($0[0] as Int64) is a family member's copy that does not name the purchase, or "
                + "a purchase that names one."
        },
        Check(sql: "SELECT account FROM accounts WHERE clock <> ifnull(json_extract(state, '$.clock'), '')") {
            "Account \($0[0] as Int64) lies under another clock than its own."
        },
        Check(
            sql: """
                SELECT d.notification FROM deliveries d JOIN accounts a ON a.account = d.account
                WHERE d.due IS NOT NULL AND d.clock <> a.clock
                """
        ) {
            "A delivery of notification \($0[0] as Int64) falls due by another clock than its account's."
        },
        Check(
            sql: """
                SELECT a.account, ifnull(json_extract(a.state, '$.notificationNumber'), 0) AS wanted,
                    (
                        SELECT count(*) FROM outbox o
                        WHERE o.account = a.account AND o.is_triggered = 0 AND o.chain <> ''
                    ) AS counted
                FROM accounts a
                WHERE wanted < counted OR wanted > counted AND NOT EXISTS (
                    SELECT 1 FROM documents d WHERE d.kind = 'retention' AND d.name = a.realm || '/' || a.app
                )
                """
        ) {
            "Account \($0[0] as Int64) should have \($0[1] as Int64) notifications and has \($0[2] as Int64)."
        },
        Check(
            sql: """
                SELECT d.notification, d.endpoint FROM deliveries d
                WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = d.notification)
                """
        ) {
            "A delivery to \($0[1] as String) is of notification \($0[0] as Int64), which is missing."
        },
        Check(
            sql: """
                SELECT chain, count(*) FROM outbox o
                WHERE chain <> ''
                    AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.kind = 'chain' AND d.name = o.chain)
                GROUP BY chain
                """
        ) {
            "The certificates of chain \($0[0] as String), which signed \($0[1] as Int64) notifications, are missing."
        },
        Check(sql: "SELECT series FROM identifiers WHERE next < 1") {
            "The identifier series \($0[0] as String) has fallen below its start."
        },
    ]
}
