import Synchronization
import TillStorage

/// The engine for more than one machine: any number of nodes share one PostgreSQL.
///
/// What is acknowledged is committed, and as durable as the server's settings make it; docs/operating/scale.md lists
/// the required ones.
package final class PostgresStorage: SharedStorage {
    let pool: ConnectionPool
    /// A connection that never waits behind requests, so that a busy node still renews its registration.
    let nodePool: ConnectionPool
    let nodeSubscription: NodeSubscription
    let writes = Atomic<Int>(0)
    let settings: PostgresSettings
    /// The database's address without user and password, for logs.
    package let place: String

    /// Opens the database and migrates its tables to this version.
    ///
    /// Blocks the calling thread while it waits for the network, which is acceptable at start.
    ///
    /// - Throws: `PostgresRefused` and the server's errors.
    package init(_ url: DatabaseURL, settings: PostgresSettings = PostgresSettings()) throws {
        try Migrator(url: url, settings: settings).migrate()
        self.settings = settings
        place = url.description
        pool = ConnectionPool(url, settings)
        nodePool = ConnectionPool(url, settings.forNodes)
        nodeSubscription = NodeSubscription(url, settings)
    }

    /// Opens the database as it is, while servers may be using it.
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

    /// Runs one statement and maps its rows.
    func read<Value: Sendable>(
        _ statement: Statement,
        _ arguments: Arguments = Arguments(),
        _ body: @escaping @Sendable (Row) throws -> Value
    ) async throws -> [Value] {
        try await pool.perform { try $0.run(statement, arguments).map(body) }
    }

    /// Writes in one transaction and one round trip.
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
