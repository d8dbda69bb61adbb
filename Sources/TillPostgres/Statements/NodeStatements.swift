/// The coordination of nodes. A commit holds a shared lock. A change of the data that decisions depend on
/// (configuration, epoch and nodes) holds the same lock exclusively. Therefore no node can commit a decision that was
/// made with outdated configuration.
enum NodeStatements {
    /// ASCII `till` plus two. No other program takes an advisory lock with this number in Till's database.
    static let lock: Int64 = 0x7469_6c6e
    /// The channel for messages between nodes.
    static let channel = "till"

    static func text(of statement: Statement) -> String {
        switch statement {
        case .lockShared: "SELECT pg_advisory_xact_lock_shared(\(lock))"
        case .lockAlone: "SELECT pg_advisory_xact_lock(\(lock))"
        case .checkWritePrecondition:
            """
            SELECT 1 / (
                CASE
                    WHEN EXISTS (SELECT 1 FROM nodes WHERE id = $1)
                        AND (SELECT value FROM generations WHERE kind = 'era') = $2
                        AND ($3::bigint IS NULL OR (SELECT sum(value)::bigint FROM generations) = $3)
                    THEN 1 ELSE 0
                END
            )
            """
        case .raiseConfigurationVersion:
            """
            INSERT INTO generations (kind, value) VALUES ($1, 1)
            ON CONFLICT (kind) DO UPDATE SET value = generations.value + 1
            """
        case .raiseEra: "UPDATE generations SET value = value + 1"
        case .allConfigurationVersions: "SELECT kind, value FROM generations"
        // Tests may create and delete any number of apps. No node is that far behind.
        case .forgetReplacements:
            """
            DELETE FROM replacements
            WHERE $1 = '' OR epoch < (SELECT value FROM generations WHERE kind = 'era') - 10000
            """
        case .noteReplacement:
            """
            INSERT INTO replacements (name, epoch) SELECT $1, value FROM generations WHERE kind = 'era'
            ON CONFLICT (name) DO UPDATE SET epoch = EXCLUDED.epoch
            """
        case .replacementsAfter: "SELECT name, epoch FROM replacements WHERE epoch > $1"
        case .announce: "SELECT pg_notify('\(channel)', $1)"

        case .retireNode: "DELETE FROM nodes WHERE name = $1"
        case .enterNode:
            "INSERT INTO nodes (id, name, seen, expires) VALUES ($1, $2, 0, \(instant("$3")))"
        case .beatNode: "UPDATE nodes SET seen = $2, expires = \(instant("$3")) WHERE id = $1 RETURNING seen"
        case .renewNode: "UPDATE nodes SET expires = \(instant("$2")) WHERE id = $1 RETURNING id"
        case .noteSeen: "UPDATE nodes SET seen = $2 WHERE id = $1"
        case .notDurably: "SELECT set_config('synchronous_commit', 'off', true)"
        case .expiredNode: "SELECT id FROM nodes WHERE expires < clock_timestamp() LIMIT 1"
        case .reapNodes: "DELETE FROM nodes WHERE expires < clock_timestamp()"
        case .allNodes: "SELECT id, seen FROM nodes WHERE expires >= clock_timestamp()"
        case .leaveNode: "DELETE FROM nodes WHERE id = $1"

        case .takeLease:
            "INSERT INTO leases (name, node, body) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING RETURNING name"
        case .releaseLease: "DELETE FROM leases WHERE name = $1 AND node = $2"
        case .allLeases: "SELECT name, node, body FROM leases"
        default: preconditionFailure("\(statement) is not about nodes")
        }
    }

    /// The instant a number of milliseconds from now. It uses the database server's clock only, because the clocks of
    /// the nodes may differ.
    private static func instant(_ milliseconds: String) -> String {
        "clock_timestamp() + \(milliseconds)::bigint * interval '1 millisecond'"
    }
}
