/// The connections and time limits of the engine. The default values suit a node with a few thousand requests per
/// second.
package struct PostgresSettings: Sendable {
    /// The maximum number of connections of this node. Each connection has its own thread.
    package var connections = 8
    /// The maximum number of statements that wait for a connection. Any further statement fails at once.
    package var maxWaiting = 4_096
    /// The maximum time that a statement waits for a connection before it fails.
    package var maxWait: Duration = .seconds(10)
    /// The time limit for connecting to one host, in whole seconds, at least two.
    package var connectTimeout: Duration = .seconds(3)
    /// The time without a response after which the node checks whether another server has become the primary.
    package var doubtfulSilence: Duration = .seconds(2)
    /// The time after which the server cancels a statement. The doctor and migrations have no such limit.
    package var statementTimeout: Duration = .seconds(30)
    /// The maximum time that a statement waits for a row that another node has locked.
    package var lockTimeout: Duration = .seconds(5)
    /// The maximum time that a migration waits for the migration of another node.
    package var migrationTimeout: Duration = .seconds(300)
    /// The waiting time before the first reconnection. It doubles with every failure.
    package var shortestBackOff: Duration = .milliseconds(50)
    /// The longest waiting time between two attempts to connect.
    package var maxBackOff: Duration = .seconds(2)
    /// The maximum number of attempts for a batch that is aborted by deadlocks.
    package var attempts = 4

    /// The time without a response after which no statement can still be running. The server has then failed, and the
    /// connection is closed.
    var maxSilence: Duration { statementTimeout + .seconds(5) }

    /// The default settings.
    package init() {}

    /// The settings for the coordination of nodes: one connection, and only short statements.
    var forNodes: PostgresSettings {
        var settings = self
        settings.connections = 1
        settings.maxWait = .seconds(5)
        settings.statementTimeout = min(statementTimeout, .seconds(5))
        return settings
    }
}

extension Duration {
    /// Whole milliseconds, at least one, because zero means "no limit" to the server.
    var wholeMilliseconds: Int64 {
        max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
