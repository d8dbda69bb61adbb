import CPostgres

/// The tables, version by version. Migrations only go forward.
///
/// A released migration is text that never changes (a test checks each digest). It names every table and column itself,
/// because text generated from today's tables would change with them.
struct Migration: Sendable {
    let version: Int64
    let name: String
    let script: String

    static let all = [
        Migration(
            version: 1,
            name: "documents, journal, accounts, ledger, outbox and deliveries",
            script: Tables.first
        ),
        Migration(version: 2, name: "nodes, leases and generations", script: NodeStatements.tables),
        Migration(version: 3, name: "what is in a snapshot", script: SnapshotCounts.tables),
    ]
}

/// Migrates a database to this version, even when several nodes try at once.
struct Migrator {
    let url: DatabaseURL
    let settings: PostgresSettings
    var migrations = Migration.all

    /// Nodes that start at once take turns under one advisory lock; later ones find nothing left to do. All versions
    /// are applied in one transaction. A database that is up to date is only read, so that a server's role needs no
    /// right to create tables.
    ///
    /// - Throws: `PostgresRefused` for a database of a newer Till, with another program's tables, without privileges,
    ///   or with an encoding other than UTF8.
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

    /// - Throws: `PostgresRefused` unless the database is of this version.
    func check() throws {
        try explaining {
            let session = try Session(url, settings)
            let missing = try missing(session)
            guard missing.count < migrations.count else { throw PostgresRefused.empty(url.description) }
            guard missing.isEmpty else { throw PostgresRefused.older(url.description) }
            try DatabaseState.requirePrivileges(session, at: url.description, writing: false)
        }
    }

    /// ASCII `till`; no other program locks this number in Till's database.
    private static let lock: Int64 = 0x7469_6c6c

    private func missing(_ session: Session) throws -> [Migration] {
        let done = try DatabaseState(of: session, at: url.description, knowing: migrations).versions
        return migrations.filter { !done.contains($0.version) }
    }

    /// Turns a missing privilege into an error that says how to grant it.
    private func explaining(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as PostgresFailure where failure.isForbidden {
            throw PostgresRefused.noPrivileges(url.description, failure.message)
        }
    }
}
