import TillCore

/// The invariants between rows. `till doctor` checks the invariants between rows and rules.
package enum Examination {
    /// Runs all checks.
    ///
    /// - Parameter rows: Runs a statement without parameters.
    /// - Returns: A sentence for each row that breaks an invariant, at most 20 of each check.
    package static func findings(_ rows: (CommonStatement) throws -> [any StoredCells]) rethrows -> [String] {
        try checks.flatMap { check in
            // A row with a damaged cell is reported by the check that reads each row separately.
            try rows(check.statement).compactMap { try? check.sentence($0) }
        }
    }

    private struct Check: Sendable {
        let statement: CommonStatement
        let sentence: @Sendable (any StoredCells) throws -> String

        init(_ statement: CommonStatement, _ sentence: @escaping @Sendable (any StoredCells) throws -> String) {
            self.statement = statement
            self.sentence = sentence
        }
    }

    private static let checks: [Check] = [
        Check(.misplacedRows) {
            "Transaction \(try $0.integer(0)) is in partition \(try $0.integer(1)), but its ids contain another one."
        },
        Check(.misplacedAccounts) {
            "Account \(try $0.integer(0)) is in partition \(try $0.integer(1)), but its number contains another one."
        },
        Check(.miscounted) {
            "Account \(try $0.integer(0)) should have \(try $0.integer(1)) transactions and has \(try $0.integer(2))."
        },
        Check(.beyondHead) {
            "Transaction \(try $0.integer(0)) has change number \(try $0.integer(1)); "
                + "its account has only reached \(try $0.integer(2))."
        },
        Check(.refundsWithoutNumber) {
            "Transaction \(try $0.integer(0)) has a refund number without a refund, or a refund without its number."
        },
        Check(.halfRevocations) {
            "Transaction \(try $0.integer(0)) has a revocation without its date, reason or kind."
        },
        Check(.copiesWithoutSource) {
            "Transaction \(try $0.integer(0)) is a family member's copy without the purchaser's transaction, or "
                + "a purchase that refers to one."
        },
        Check(.strangeClocks) { "Account \(try $0.integer(0)) is stored under another clock than its own." },
        Check(.deliveriesOnStrangeClocks) {
            "A delivery of notification \(try $0.integer(0)) uses another clock than its account."
        },
        Check(.missingNotifications) {
            "Account \(try $0.integer(0)) should have \(try $0.integer(1)) notifications and has \(try $0.integer(2))."
        },
        Check(.orphanedDeliveries) {
            "A delivery to \(try $0.text(1)) belongs to notification \(try $0.integer(0)), which is missing."
        },
        Check(.orphanedForeignIdentifiers) {
            "The identifier \(try $0.text(0)) of another store belongs to account \(try $0.integer(1)), "
                + "which is missing."
        },
        Check(.missingChains) {
            "The certificates of chain \(try $0.text(0)), which signed \(try $0.integer(1)) notifications, are missing."
        },
        Check(.fallenIdentifiers) {
            let series = try $0.text(0)
            guard try $0.integer(2) == 0 else { return "The identifier series \(series) has fallen below its start." }
            return "The identifier series \(series) is at \(try $0.text(1)), too close to its end "
                + "(\(Identifiers.maxCounters)): no purchase is possible."
        },
    ]
}

extension CommonStatement {
    /// A statement that finds the rows that break an invariant.
    var invariant: String {
        switch self {
        case .misplacedRows:
            "SELECT id, partition FROM ledger WHERE id % 1024 <> partition OR account % 1024 <> partition"
        case .misplacedAccounts: "SELECT account, partition FROM accounts WHERE account % 1024 <> partition"
        case .miscounted:
            """
            SELECT a.account, a.row_count, coalesce(l.counted, 0) FROM accounts a LEFT JOIN (
                SELECT partition, account, count(*) AS counted FROM ledger GROUP BY partition, account
            ) l ON l.partition = a.partition AND l.account = a.account
            WHERE coalesce(l.counted, 0) <> a.row_count
            """
        case .beyondHead:
            """
            SELECT l.id, l.change, a.change_number FROM ledger l
            JOIN accounts a ON a.partition = l.partition AND a.account = l.account
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
            // The purchaser of an imported copy is on another server.
            """
            SELECT id FROM ledger
            WHERE ownership = 'FAMILY_SHARED' AND shared_from IS NULL AND foreign_ids IS NULL
                OR ownership <> 'FAMILY_SHARED' AND shared_from IS NOT NULL
            """
        case .strangeClocks:
            "SELECT account FROM accounts WHERE clock <> coalesce(\(Self.stated("clock", "\"([^\"]*)\"")), '')"
        case .deliveriesOnStrangeClocks:
            """
            SELECT d.notification FROM deliveries d
            JOIN accounts a ON a.partition = d.partition AND a.account = d.account
            WHERE d.due IS NOT NULL AND d.clock <> a.clock
            """
        case .missingNotifications:
            Self.missingNotifications("coalesce(\(Self.stated("notificationNumber", "([0-9]{1,18})"))::bigint, 0)")
        case .orphanedDeliveries:
            """
            SELECT d.notification, d.endpoint FROM deliveries d
            WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.partition = d.partition AND o.id = d.notification)
            """
        case .orphanedForeignIdentifiers:
            """
            SELECT f.foreign_id, f.account FROM foreign_identifiers f
            WHERE NOT EXISTS (SELECT 1 FROM accounts a WHERE a.partition = f.account % 1024 AND a.account = f.account)
            """
        case .missingChains:
            """
            SELECT chain, count(*) FROM outbox o
            WHERE chain NOT IN ('', '\(NotificationContent.unsignedChain)')
                AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.kind = 'chain' AND d.name = o.chain)
            GROUP BY chain
            """
        case .fallenIdentifiers: Self.strangeIdentifiers("CAST(next AS TEXT)", "next < 1")
        default: preconditionFailure("\(self) is no check")
        }
    }

    /// The text of a check for SQLite; nil if it is the same.
    var sqliteInvariant: String? {
        switch self {
        case .strangeClocks:
            "SELECT account FROM accounts WHERE clock <> ifnull(\(Self.stated("clock", or: "''")), clock)"
        case .missingNotifications: Self.missingNotifications(Self.stated("notificationNumber", or: "0"))
        case .fallenIdentifiers:
            Self.strangeIdentifiers("substr(quote(next), 1, 64)", "typeof(next) <> 'integer' OR next < 1")
        default: nil
        }
    }

    private static func missingNotifications(_ wanted: String) -> String {
        """
        SELECT account, wanted, counted FROM (
            SELECT a.partition, a.account, a.\(environment) || '/' || a.app AS place, \(wanted) AS wanted,
                coalesce(o.counted, 0) AS counted
            FROM accounts a LEFT JOIN (
                SELECT partition, account, count(*) AS counted FROM outbox
                WHERE is_triggered = 0 AND chain <> '' GROUP BY partition, account
            ) o ON o.partition = a.partition AND o.account = a.account
        ) counts
        WHERE wanted < counted OR wanted > counted
            AND NOT EXISTS (SELECT 1 FROM documents d WHERE d.kind = 'retention' AND d.name = counts.place)
        ORDER BY partition, account
        """
    }

    private static func strangeIdentifiers(_ words: String, _ condition: String) -> String {
        """
        SELECT series, \(words), CASE WHEN next < 1 THEN 1 ELSE 0 END FROM identifiers
        WHERE \(condition) OR next > \(Identifiers.lastBeforeEnd)
        """
    }

    /// An expression of PostgreSQL for the value of a key that occurs only once in an account's state. It does not
    /// parse the JSON, because one malformed state would abort the whole examination.
    ///
    /// - Parameter value: A pattern whose first group is the value.
    private static func stated(_ key: String, _ value: String) -> String {
        "substring(state from '\"\(key)\"\\s*:\\s*\(value)')"
    }

    /// An expression of SQLite for the value of a key in an account's state. It is null if the state is not JSON.
    private static func stated(_ key: String, or missing: String) -> String {
        let isJSON = "typeof(state) = 'text' AND json_valid(state)"
        return "CASE WHEN \(isJSON) THEN ifnull(json_extract(state, '$.\(key)'), \(missing)) END"
    }
}
