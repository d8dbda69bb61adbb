/// What is prepared under a name and sent: a `Statement`, or a `TableStatement`.
protocol SentStatement: Sendable {
    /// Unique on a connection.
    var name: String { get }
    /// What the server prepares.
    var sql: String { get }
    /// How much of the database it touches.
    var reach: StatementReach { get }
}

/// How much of the database a statement touches.
enum StatementReach: Equatable {
    /// One physical partition of each table that it names.
    case onePartition
    /// Tables that are small and not partitioned, or none.
    case unpartitioned
    /// All partitions, and why it must.
    case sweep(String)
}
