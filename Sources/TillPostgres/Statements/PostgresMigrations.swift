import CPostgres
import TillStorage

/// The migrations of the tables, one for each version: those of version 0.1.0, which stand here, and each
/// `LaterMigration`. There are no migrations back to an older version.
///
/// The text of a released migration never changes; a test checks the digest of each. Each text contains all table and
/// column names itself, because text that is generated from the current tables would change with them.
struct Migration: Sendable {
    let version: Int64
    let name: String
    let script: String

    static let all =
        [
            Migration(
                version: 1,
                name: "documents, journal, accounts, ledger, outbox and deliveries",
                script: Tables.first
            ),
            Migration(version: 2, name: "nodes, leases and generations", script: nodeTables),
            Migration(version: 3, name: "what is in a snapshot", script: SnapshotCounts.tables),
        ] + zip(4..., LaterMigration.all).map { Migration(version: $0, name: $1.name, script: $1.postgres) }

    private static let nodeTables = """
        CREATE TABLE nodes (
            id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
            name TEXT COLLATE "C" NOT NULL UNIQUE,
            seen BIGINT NOT NULL,
            expires TIMESTAMPTZ NOT NULL
        );

        CREATE TABLE leases (
            name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
            node TEXT COLLATE "C" NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
            body TEXT NOT NULL
        );
        CREATE INDEX leases_by_node ON leases (node);

        CREATE TABLE generations (
            kind TEXT COLLATE "C" NOT NULL PRIMARY KEY,
            value BIGINT NOT NULL
        );
        INSERT INTO generations (kind, value) VALUES ('era', 1);

        DROP INDEX deliveries_due;
        CREATE INDEX deliveries_due ON deliveries (realm, app, clock, endpoint, due, signed_date, notification)
            WHERE due IS NOT NULL;
        """
}

/// Migrates a database to this version, even if several nodes try it at the same time.
struct Migrator {
    let url: DatabaseURL
    let settings: PostgresSettings
    var migrations = Migration.all

    /// Migrates the database. If several nodes start at the same time, an advisory lock makes them wait for each other,
    /// and later nodes find nothing to migrate. All versions are applied in one transaction. If the database is up to
    /// date, it is only read, so the role of a server needs no right to create tables.
    ///
    /// - Throws: `PostgresRefused` if the database belongs to a newer Till or another program, lacks privileges, or has
    ///   an encoding other than UTF8.
    func migrate() throws {
        try explaining { try bringUp(try Session(url, settings)) }
    }

    private func bringUp(_ session: Session) throws {
        let encoding = try session.run(script: "SHOW server_encoding").first.map { try $0.text(0) } ?? ""
        guard encoding == "UTF8" else { throw PostgresRefused.encoding(encoding) }
        if try missing(session).isEmpty {
            return try DatabaseState.requirePrivileges(session, at: url.description, writing: true)
        }
        let wait = settings.migrationTimeout.wholeMilliseconds
        try session.run(
            script: """
                BEGIN;
                SET LOCAL lock_timeout = \(wait); SET LOCAL statement_timeout = 0;
                SET LOCAL idle_in_transaction_session_timeout = 0;
                SELECT pg_advisory_xact_lock(\(Self.lock));
                CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY, name TEXT NOT NULL);
                """
        )
        for migration in try missing(session) {
            try session.run(script: migration.script)
            try session.run(
                script: "INSERT INTO migrations (version, name) VALUES (\(migration.version), '\(migration.name)')"
            )
        }
        try session.run(script: "COMMIT")
    }

    /// - Throws: `PostgresRefused` unless the database has this version.
    func check() throws {
        try explaining {
            let session = try Session(url, settings)
            let missing = try missing(session)
            guard missing.count < migrations.count else { throw PostgresRefused.empty(url.description) }
            guard missing.isEmpty else { throw PostgresRefused.older(url.description) }
            try DatabaseState.requirePrivileges(session, at: url.description, writing: false)
        }
    }

    /// ASCII `till`. No other program takes an advisory lock with this number in Till's database.
    private static let lock: Int64 = 0x7469_6c6c

    private func missing(_ session: Session) throws -> [Migration] {
        let done = try DatabaseState(of: session, at: url.description, knowing: migrations).versions
        return migrations.filter { !done.contains($0.version) }
    }

    /// Runs `body`, and replaces an error about a missing privilege with one that explains how to grant it.
    private func explaining(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as PostgresFailure where failure.isForbidden {
            throw PostgresRefused.noPrivileges(url.description, failure.message)
        }
    }
}
