/// How the engine uses its database. The defaults serve a node with a few thousand requests a second.
package struct PostgresSettings: Sendable {
    /// The maximum number of connections of this node, each with a thread of its own.
    package var connections = 8
    /// How many statements may wait for a connection; one more fails at once.
    package var maxWaiting = 4_096
    /// How long a statement waits for a connection before it fails.
    package var maxWait: Duration = .seconds(10)
    /// The time-out for connecting to one host; whole seconds, at least two.
    package var connectTimeout: Duration = .seconds(3)
    /// When a server has not answered for this long, the node checks whether another one has become the primary.
    package var doubtfulSilence: Duration = .seconds(2)
    /// After this the server cancels a statement. The doctor and migrations have no such limit.
    package var statementTimeout: Duration = .seconds(30)
    /// How long a statement waits for a row that another node has locked.
    package var lockTimeout: Duration = .seconds(5)
    /// How long a migration waits for the migration of another node.
    package var migrationTimeout: Duration = .seconds(300)
    /// The wait before the first reconnection; it doubles with every failure.
    package var shortestBackOff: Duration = .milliseconds(50)
    /// The longest wait between two attempts to connect.
    package var maxBackOff: Duration = .seconds(2)
    /// How often a batch that lost a deadlock is tried.
    package var attempts = 4

    /// After this no statement can still be running: the server is gone, and the connection is ended.
    var maxSilence: Duration { statementTimeout + .seconds(5) }

    /// The default settings.
    package init() {}

    /// For the nodes' own bookkeeping: one connection, and only short statements.
    var forNodes: PostgresSettings {
        var settings = self
        settings.connections = 1
        settings.maxWait = .seconds(5)
        settings.statementTimeout = min(statementTimeout, .seconds(5))
        return settings
    }
}

extension Duration {
    /// Whole milliseconds, at least one: zero would mean "no limit" to the server.
    var wholeMilliseconds: Int64 {
        max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
