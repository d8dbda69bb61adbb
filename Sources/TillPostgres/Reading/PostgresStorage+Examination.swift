import TillCore
import TillStorage

/// Checks the invariants between rows. `till doctor` checks the invariants between rows and rules. The server's own
/// checksums find damaged pages.
extension PostgresStorage {
    package func examine() async throws -> [String] {
        try await pool.perform { session in
            _ = try session.run(.beginExamination)
            defer { _ = try? session.run(.rollback) }
            // The examination reads all data, so it has no time limit and may use any plan.
            try session.run(script: Examination.withoutLimits)
            return try session.patiently {
                try Examination.checks.flatMap { check in
                    try session.run(check.statement).map(check.sentence)
                }
            }
        }
    }
}

/// The statements of the doctor, each with the message for a row that it finds.
enum Examination {
    struct Check: Sendable {
        let statement: Statement
        let sentence: @Sendable (Row) throws -> String
    }

    static let withoutLimits = """
        SET LOCAL statement_timeout = 0; SET LOCAL enable_seqscan = on; SET LOCAL enable_sort = on;
        SET LOCAL enable_hashjoin = on; SET LOCAL enable_mergejoin = on; SET LOCAL enable_bitmapscan = on
        """

    static let checks: [Check] = [
        Check(statement: .misplacedRows) {
            "Transaction \(try $0.int(0)) is in partition \(try $0.int(1)), but its ids contain another one."
        },
        Check(statement: .misplacedAccounts) {
            "Account \(try $0.int(0)) is in partition \(try $0.int(1)), but its number contains another one."
        },
        Check(statement: .miscounted) {
            "Account \(try $0.int(0)) should have \(try $0.int(1)) transactions and has \(try $0.int(2))."
        },
        Check(statement: .beyondHead) {
            "Transaction \(try $0.int(0)) has change number \(try $0.int(1)); "
                + "its account has only reached \(try $0.int(2))."
        },
        Check(statement: .refundsWithoutNumber) {
            "Transaction \(try $0.int(0)) has a refund number without a refund, or a refund without its number."
        },
        Check(statement: .halfRevocations) {
            "Transaction \(try $0.int(0)) has a revocation without its date, reason or kind."
        },
        Check(statement: .copiesWithoutSource) {
            "Transaction \(try $0.int(0)) is a family member's copy without the purchaser's transaction, or "
                + "a purchase that refers to one."
        },
        Check(statement: .strangeClocks) { "Account \(try $0.int(0)) is stored under another clock than its own." },
        Check(statement: .deliveriesOnStrangeClocks) {
            "A delivery of notification \(try $0.int(0)) uses another clock than its account."
        },
        Check(statement: .missingNotifications) {
            "Account \(try $0.int(0)) should have \(try $0.int(1)) notifications and has \(try $0.int(2))."
        },
        Check(statement: .orphanedDeliveries) {
            "A delivery to \(try $0.text(1)) belongs to notification \(try $0.int(0)), which is missing."
        },
        Check(statement: .missingChains) {
            "The certificates of chain \(try $0.text(0)), which signed \(try $0.int(1)) notifications, are missing."
        },
        Check(statement: .fallenIdentifiers) {
            let (series, next) = (try $0.text(0), try $0.int(1))
            guard next > 0 else { return "The identifier series \(series) has fallen below its start." }
            return "The identifier series \(series) is at \(next), too close to its end "
                + "(\(Identifiers.maxCounters)): no purchase is possible."
        },
    ]

    static func text(of statement: Statement) -> String { query(statement) + " LIMIT 20" }

    private static func query(_ statement: Statement) -> String {
        switch statement {
        case .misplacedRows:
            "SELECT id, partition FROM ledger WHERE id % 1024 <> partition OR account % 1024 <> partition"
        case .misplacedAccounts: "SELECT account, partition FROM accounts WHERE account % 1024 <> partition"
        case .miscounted:
            """
            SELECT a.account, a.row_count, coalesce(l.counted, 0) FROM accounts a LEFT JOIN (
                SELECT partition, account, count(*) AS counted FROM ledger GROUP BY partition, account
            ) l USING (partition, account)
            WHERE coalesce(l.counted, 0) <> a.row_count
            """
        case .beyondHead:
            """
            SELECT l.id, l.change, a.change_number FROM ledger l JOIN accounts a USING (partition, account)
            WHERE l.change > a.change_number OR l.change < 1
            """
        case .refundsWithoutNumber:
            """
            SELECT id FROM ledger
            WHERE (refund_number IS NOT NULL) <> (revocation_date IS NOT NULL AND revocation_kind <> 'FAMILY_REVOKE')
            """
        case .halfRevocations:
            """
            SELECT id FROM ledger
            WHERE (revocation_date IS NULL) <> (revocation_reason IS NULL)
                OR (revocation_date IS NULL) <> (revocation_kind IS NULL)
            """
        case .copiesWithoutSource:
            "SELECT id FROM ledger WHERE (ownership = 'FAMILY_SHARED') <> (shared_from IS NOT NULL)"
        case .strangeClocks:
            "SELECT account FROM accounts WHERE clock <> coalesce(\(stated("clock", "\"([^\"]*)\"")), '')"
        case .deliveriesOnStrangeClocks:
            """
            SELECT d.notification FROM deliveries d JOIN accounts a USING (partition, account)
            WHERE d.due IS NOT NULL AND d.clock <> a.clock
            """
        case .missingNotifications:
            """
            SELECT account, wanted, counted FROM (
                SELECT a.account, a.\(ShopTable.environment) || '/' || a.app AS place,
                    coalesce(\(stated("notificationNumber", "([0-9]{1,18})"))::bigint, 0) AS wanted,
                    coalesce(o.counted, 0) AS counted
                FROM accounts a LEFT JOIN (
                    SELECT partition, account, count(*) AS counted FROM outbox
                    WHERE is_triggered = 0 AND chain <> '' GROUP BY partition, account
                ) o USING (partition, account)
            ) counts
            WHERE wanted < counted OR wanted > counted
                AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.kind = 'retention' AND d.name = counts.place)
            """
        case .orphanedDeliveries:
            """
            SELECT d.notification, d.endpoint FROM deliveries d
            WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.partition = d.partition AND o.id = d.notification)
            """
        case .missingChains:
            """
            SELECT chain, count(*) FROM outbox o
            WHERE chain <> '' AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.kind = 'chain' AND d.name = o.chain)
            GROUP BY chain
            """
        default: "SELECT series, next FROM identifiers WHERE next < 1 OR next > \(Identifiers.lastBeforeEnd)"
        }
    }

    /// An expression for the value of a key that occurs only once in an account's state. It does not parse the JSON,
    /// because one malformed state would abort the whole examination.
    ///
    /// - Parameter value: A pattern whose first group is the value.
    private static func stated(_ key: String, _ value: String) -> String {
        "substring(state from '\"\(key)\"\\s*:\\s*\(value)')"
    }
}
