/// Something that is prepared under a name and sent: a `Statement` or a `TableStatement`.
protocol SentStatement: Sendable {
    /// Unique on a connection.
    var name: String { get }
    /// The SQL text that the server prepares.
    var sql: String { get }
    /// How much of the database it touches.
    var reach: StatementReach { get }
}

/// How much of the database a statement touches.
enum StatementReach: Equatable {
    /// One physical partition of each table in the statement.
    case onePartition
    /// Small tables without partitions, or no table.
    case unpartitioned
    /// All partitions, and why this is necessary.
    case sweep(String)
}
