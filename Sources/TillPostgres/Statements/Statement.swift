import TillStorage

/// A statement that is prepared under a name: a `Statement`, a `SentCommonStatement` or a `TableStatement`.
protocol SentStatement: Sendable {
    /// The name, which is unique on a connection.
    var name: String { get }
    /// The SQL text that the server prepares.
    var sql: String { get }
    /// The table that the statement reads, for error messages.
    var table: String { get }
    /// The part of the database that the statement touches.
    var reach: StatementReach { get }
}

extension SentStatement {
    var table: String { "answer" }
}

/// The part of the database that a statement touches.
enum StatementReach: Equatable {
    /// One physical partition of each table in the statement.
    case onePartition
    /// Only tables without partitions, which are small, or no table.
    case unpartitioned
    /// All partitions, with the reason why this is necessary.
    case sweep(String)

    /// The reach of a statement: all partitions if there is a reason, else one if the statement names it.
    init(_ sql: String, sweep reason: String?) {
        self = reason.map { .sweep($0) } ?? (sql.contains("partition") ? .onePartition : .unpartitioned)
    }
}

/// A statement that SQLite also executes.
struct SentCommonStatement: SentStatement {
    let statement: CommonStatement

    var name: String { statement.sql.name }
    var table: String { statement.sql.table }
    var reach: StatementReach { StatementReach(sql, sweep: statement.sweep) }

    /// A guarded write that matches no row divides by zero, because only an error makes the server skip the rest of the
    /// change, which was already sent.
    var sql: String {
        let text = statement.sql.postgres
        return statement.isGuarded
            ? "WITH written AS (\(text) RETURNING 1) SELECT 1 / count(*) FROM written" : text
    }
}

/// The statements of this engine only. The statements that SQLite also executes are `CommonStatement`; migrations and
/// the commands at the start of a connection are not listed. A test can therefore ask the server which partitions each
/// statement touches.
enum Statement: String, CaseIterable, Sendable, SentStatement {
    // Transactions.
    case begin, commit, rollback, savepoint, release, rollbackToSavepoint, beginExamination

    // The history of an account.
    case historyUp, historyDown, filteredHistoryUp, filteredHistoryDown

    // Pages of notifications.
    case madeUp, madeDown, madeForAccountUp, madeForAccountDown
    case triedUp, triedDown, triedOfTypeUp, triedOfTypeDown, failedUp, failedDown
    case triedForAccountUp, triedForAccountDown

    case ping, databaseSize

    // Coordination of nodes.
    case lockShared, lockAlone, checkWritePrecondition, raiseConfigurationVersion, raiseEra, allConfigurationVersions,
        announce, forgetReplacements, noteReplacement, replacementsAfter
    case enterNode, retireNode, beatNode, expiredNode, reapNodes, allNodes, leaveNode, noteSeen, notDurably, renewNode
    case takeLease, releaseLease, allLeases

    // Snapshots.
    case enterSnapshot, countSnapshot, growSnapshot, removeSnapshot, snapshotByName, allSnapshots, raiseIdentifiers

    var name: String { rawValue }

    var reach: StatementReach { StatementReach(sql, sweep: sweep) }

    private var sweep: String? {
        switch self {
        case .madeUp, .madeDown, .triedUp, .triedDown, .triedOfTypeUp, .triedOfTypeDown, .failedUp, .failedDown:
            "an app's notifications by date: an ordered merge, of at most a page and a row of each partition"
        default: nil
        }
    }
}
