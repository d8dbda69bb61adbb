/// A statement that is prepared under a name: a `Statement` or a `TableStatement`.
protocol SentStatement: Sendable {
    /// The name, which is unique on a connection.
    var name: String { get }
    /// The SQL text that the server prepares.
    var sql: String { get }
    /// The part of the database that the statement touches.
    var reach: StatementReach { get }
}

/// The part of the database that a statement touches.
enum StatementReach: Equatable {
    /// One physical partition of each table in the statement.
    case onePartition
    /// Only tables without partitions, which are small, or no table.
    case unpartitioned
    /// All partitions, with the reason why this is necessary.
    case sweep(String)
}
