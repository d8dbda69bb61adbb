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
            for row in try db.rows(of: "pragma", "PRAGMA foreign_key_check") {
                findings.append("A row of \(try row.text(0)) refers to an account that does not exist.")
            }
            for check in Self.checks {
                for row in try db.rows(of: "check", check.sql + " LIMIT 20") {
                    // A row with a damaged cell is reported by the check that reads each row separately.
                    if let sentence = try? check.sentence(row) { findings.append(sentence) }
                }
            }
            return findings
        }
    }

    private struct Check: Sendable {
        let sql: String
        let sentence: @Sendable (RowCells) throws -> String
    }

    /// The invariants between rows. `till doctor` checks the invariants between rows and rules.
    private static let checks: [Check] = [
        Check(sql: "SELECT id, partition FROM ledger WHERE id % 1024 <> partition OR account % 1024 <> partition") {
            "Transaction \(try $0.integer(0)) is in partition \(try $0.integer(1)), but its ids contain another one."
        },
        Check(sql: "SELECT account, partition FROM accounts WHERE account % 1024 <> partition") {
            "Account \(try $0.integer(0)) is in partition \(try $0.integer(1)), but its number contains another one."
        },
        Check(
            sql: """
                SELECT a.account, a.row_count, count(l.change) AS counted
                FROM accounts a LEFT JOIN ledger l ON l.partition = a.partition AND l.account = a.account
                GROUP BY a.partition, a.account HAVING counted <> a.row_count
                """
        ) {
            "Account \(try $0.integer(0)) should have \(try $0.integer(1)) transactions and has \(try $0.integer(2))."
        },
        Check(
            sql: """
                SELECT l.id, l.change, a.change_number FROM ledger l
                JOIN accounts a ON a.partition = l.partition AND a.account = l.account
                WHERE l.change > a.change_number OR l.change < 1
                """
        ) {
            "Transaction \(try $0.integer(0)) has change number \(try $0.integer(1)); "
                + "its account has only reached \(try $0.integer(2))."
        },
        Check(
            sql: """
                SELECT id FROM ledger
                WHERE (refund_number IS NOT NULL) <>
                    (revocation_date IS NOT NULL AND revocation_kind <> 'FAMILY_REVOKE')
                """
        ) {
            "Transaction \(try $0.integer(0)) has a refund number without a refund, or a refund without its number."
        },
        Check(
            sql: """
                SELECT id FROM ledger
                WHERE (revocation_date IS NULL) <> (revocation_reason IS NULL)
                    OR (revocation_date IS NULL) <> (revocation_kind IS NULL)
                """
        ) {
            "Transaction \(try $0.integer(0)) has a revocation without its date, reason or kind."
        },
        Check(sql: "SELECT id FROM ledger WHERE (ownership = 'FAMILY_SHARED') <> (shared_from IS NOT NULL)") {
            "Transaction \(try $0.integer(0)) is a family member's copy without the purchaser's transaction, or "
                + "a purchase that refers to one."
        },
        Check(sql: "SELECT account FROM accounts WHERE clock <> ifnull(\(stated("clock")), clock)") {
            "Account \(try $0.integer(0)) is stored under another clock than its own."
        },
        Check(
            sql: """
                SELECT d.notification FROM deliveries d JOIN accounts a ON a.account = d.account
                WHERE d.due IS NOT NULL AND d.clock <> a.clock
                """
        ) {
            "A delivery of notification \(try $0.integer(0)) uses another clock than its account."
        },
        Check(
            sql: """
                SELECT a.account, \(stated("notificationNumber")) AS wanted,
                    (
                        SELECT count(*) FROM outbox o
                        WHERE o.account = a.account AND o.is_triggered = 0 AND o.chain <> ''
                    ) AS counted
                FROM accounts a
                WHERE wanted < counted OR wanted > counted AND NOT EXISTS (
                    SELECT 1 FROM documents d
                    WHERE d.kind = 'retention' AND d.name = a.\(ShopTable.environment) || '/' || a.app
                )
                """
        ) {
            "Account \(try $0.integer(0)) should have \(try $0.integer(1)) notifications and has \(try $0.integer(2))."
        },
        Check(
            sql: """
                SELECT d.notification, d.endpoint FROM deliveries d
                WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = d.notification)
                """
        ) {
            "A delivery to \(try $0.text(1)) belongs to notification \(try $0.integer(0)), which is missing."
        },
        Check(
            sql: """
                SELECT chain, count(*) FROM outbox o
                WHERE chain <> ''
                    AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.kind = 'chain' AND d.name = o.chain)
                GROUP BY chain
                """
        ) {
            "The certificates of chain \(try $0.text(0)), which signed \(try $0.integer(1)) notifications, are missing."
        },
        Check(sql: "SELECT series FROM identifiers WHERE next < 1") {
            "The identifier series \(try $0.text(0)) has fallen below its start."
        },
        Check(
            sql: """
                SELECT series, substr(quote(next), 1, 64) FROM identifiers
                WHERE typeof(next) <> 'integer' OR next > \(Identifiers.lastBeforeEnd)
                """
        ) {
            "The identifier series \(try $0.text(0)) is at \(try $0.text(1)), too close to its end "
                + "(\(Identifiers.maxCounters)): no purchase is possible."
        },
    ]

    /// An expression for the value of a key in an account's state. It is null if the state is not JSON, because an
    /// error would abort the whole examination.
    private static func stated(_ key: String) -> String {
        let isJSON = "typeof(state) = 'text' AND json_valid(state)"
        let missing = key == "clock" ? "''" : "0"
        return "CASE WHEN \(isJSON) THEN ifnull(json_extract(state, '$.\(key)'), \(missing)) END"
    }
}
