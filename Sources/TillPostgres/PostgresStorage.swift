import Synchronization
import TillStorage

/// The engine past one machine: any number of nodes share one PostgreSQL.
///
/// What is acknowledged is committed, and durable as far as the server's settings go; docs/operating/scale.md says
/// which those must be.
package final class PostgresStorage: SharedStorage {
    let pool: ConnectionPool
    /// A connection that never waits behind requests: whoever is busy still says that it lives.
    let nodePool: ConnectionPool
    let nodeSubscription: NodeSubscription
    let writes = Atomic<Int>(0)
    let settings: PostgresSettings
    /// Where the database is, without who connects: for logs.
    package let place: String

    /// Opens the database and brings its tables up to this version.
    ///
    /// Waits for the network on the calling thread, as at a start one may.
    ///
    /// - Throws: `PostgresRefused`, and what the server says.
    package init(_ url: DatabaseURL, settings: PostgresSettings = PostgresSettings()) throws {
        try Migrator(url: url, settings: settings).migrate()
        self.settings = settings
        place = url.description
        pool = ConnectionPool(url, settings)
        nodePool = ConnectionPool(url, settings.forNodes)
        nodeSubscription = NodeSubscription(url, settings)
    }

    /// Opens the database as it is, beside servers that may be at work on it.
    ///
    /// - Throws: `PostgresRefused` when the tables are not of this version.
    package init(examining url: DatabaseURL, settings: PostgresSettings = PostgresSettings()) throws {
        try Migrator(url: url, settings: settings).check()
        self.settings = settings
        place = url.description
        pool = ConnectionPool(url, settings)
        nodePool = ConnectionPool(url, settings.forNodes)
        nodeSubscription = NodeSubscription(url, settings)
    }

    /// One statement, and its rows as values.
    func read<Value: Sendable>(
        _ statement: Statement,
        _ arguments: Arguments = Arguments(),
        _ body: @escaping @Sendable (Row) throws -> Value
    ) async throws -> [Value] {
        try await pool.perform { try $0.run(statement, arguments).map(body) }
    }

    /// Writes, in one transaction and one round trip.
    func write(_ steps: [Step]) async throws {
        guard !steps.isEmpty else { return }
        let attempts = settings.attempts
        try await pool.perform { try $0.transact(steps, attempts: attempts) }
    }

    package func ping() async throws { _ = try await read(.ping) { try $0.int(0) } }

    package func close() async throws {
        nodeSubscription.close()
        await nodePool.close()
        await pool.close()
    }
}
