import Synchronization
import TillStorage

/// The engine for several machines: any number of nodes share one PostgreSQL database.
///
/// An acknowledged write is committed, and as durable as the settings of the server make it. docs/operating/scale.md
/// lists the required settings.
package final class PostgresStorage: SQLStorage, SharedStorage {
    let pool: ConnectionPool
    package let decodedAccounts = DecodedAccounts()
    /// A separate pool that never waits behind requests, so that a busy node still renews its registration.
    let nodePool: ConnectionPool
    let nodeSubscription: NodeSubscription
    let writes = Atomic<Int>(0)
    let settings: PostgresSettings
    /// The address of the database without the user and the password, for logs.
    package let place: String

    /// Opens the database and migrates its tables to this version.
    ///
    /// This blocks the calling thread while it waits for the network, which is acceptable at start.
    ///
    /// - Throws: `PostgresRefused`, and the errors of the server.
    package init(_ url: DatabaseURL, settings: PostgresSettings = PostgresSettings()) throws {
        try Migrator(url: url, settings: settings).migrate()
        self.settings = settings
        place = url.description
        pool = ConnectionPool(url, settings)
        nodePool = ConnectionPool(url, settings.forNodes)
        nodeSubscription = NodeSubscription(url, settings)
    }

    /// Opens the database without a migration. Servers may use the database at the same time.
    ///
    /// - Throws: `PostgresRefused` if the tables do not have this version.
    package init(examining url: DatabaseURL, settings: PostgresSettings = PostgresSettings()) throws {
        try Migrator(url: url, settings: settings).check()
        self.settings = settings
        place = url.description
        pool = ConnectionPool(url, settings)
        nodePool = ConnectionPool(url, settings.forNodes)
        nodeSubscription = NodeSubscription(url, settings)
    }

    /// Runs the steps in one transaction and one round trip.
    func write(_ steps: [Step]) async throws {
        guard !steps.isEmpty else { return }
        let attempts = settings.attempts
        try await pool.perform { try $0.transact(steps, attempts: attempts) }
    }

    package func ping() async throws { try await pool.perform { _ = try $0.run(.ping) } }

    package func size() async throws -> StoreSize {
        let bytes = try await pool.perform { try $0.run(.databaseSize).map { try $0.integer(0) }.first }
        return StoreSize(bytes: bytes ?? 0, walBytes: nil)
    }

    package var connections: ConnectionUse? { pool.use }

    package func close() async throws {
        nodeSubscription.close()
        await nodePool.close()
        await pool.close()
    }
}
