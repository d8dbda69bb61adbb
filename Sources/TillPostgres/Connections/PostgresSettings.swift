/// How the engine uses its database. The defaults serve a node of a few thousand requests a second.
package struct PostgresSettings: Sendable {
    /// Connections of this node at the most, each with a thread of its own.
    package var connections = 8
    /// Statements that may wait for a connection; one more is refused at once.
    package var mostWaiting = 4_096
    /// How long a statement waits for a connection before it fails.
    package var longestWait: Duration = .seconds(10)
    /// How long a connection to one host may take to come about; whole seconds, two at least.
    package var connectTimeout: Duration = .seconds(3)
    /// When a server has said nothing for so long, it is asked who leads: another one may by now.
    package var doubtfulSilence: Duration = .seconds(2)
    /// After this the server ends a statement. Sweeps of the doctor and of migrations are free of it.
    package var statementTimeout: Duration = .seconds(30)
    /// How long a statement waits for a row that another node holds.
    package var lockTimeout: Duration = .seconds(5)
    /// How long a migration waits for that of another node.
    package var migrationTimeout: Duration = .seconds(300)
    /// After a connection has failed, the next attempt is made after this; the wait doubles with every failure.
    package var shortestBackOff: Duration = .milliseconds(50)
    /// The longest wait between two attempts to connect.
    package var longestBackOff: Duration = .seconds(2)
    /// How often a batch that lost a deadlock is tried.
    package var attempts = 4

    /// After this no statement can still be at work: the server is gone, and the connection is ended.
    var longestSilence: Duration { statementTimeout + .seconds(5) }

    /// The defaults.
    package init() {}

    /// For what nodes say of themselves: one connection, and nothing that takes long.
    var forNodes: PostgresSettings {
        var settings = self
        settings.connections = 1
        settings.longestWait = .seconds(5)
        settings.statementTimeout = min(statementTimeout, .seconds(5))
        return settings
    }
}

extension Duration {
    /// Whole milliseconds, at least one: zero would mean "for ever" to the server.
    var wholeMilliseconds: Int64 {
        max(1, components.seconds * 1_000 + components.attoseconds / 1_000_000_000_000_000)
    }
}
