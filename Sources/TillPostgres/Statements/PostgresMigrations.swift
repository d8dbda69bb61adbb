import CPostgres

/// The tables, version by version. Migrations only go forward.
///
/// A released migration is text that never changes (a test holds the digest of each). It names every table and column
/// itself: text made of today's tables would change with them.
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

/// Brings a database up to this version, whoever else is about to do the same.
struct Migrator {
    let url: DatabaseURL
    let settings: PostgresSettings
    var migrations = Migration.all

    /// Nodes that start at once take turns under one lock of the server's; whoever comes later finds the work done.
    /// All versions are brought about in one transaction. A database that is up to date is only read, so that the role
    /// of a server needs no right to make tables.
    ///
    /// - Throws: `PostgresRefused` for a database of a newer Till, one that is somebody else's or may not be used, or
    ///   one that is not encoded in UTF8.
    func migrate() throws {
        try explaining { try bringUp(try Session(url, settings)) }
    }

    private func bringUp(_ session: Session) throws {
        let encoding = try session.run(script: "SHOW server_encoding").first.map { try $0.text(0) } ?? ""
        guard encoding == "UTF8" else { throw PostgresRefused.encoding(encoding) }
        if try missing(session).isEmpty {
            return try Holdings.requirePrivileges(session, at: url.description, writing: true)
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
            try Holdings.requirePrivileges(session, at: url.description, writing: false)
        }
    }

    /// `till` in letters; nobody else's lock in a database of ours.
    private static let lock: Int64 = 0x7469_6c6c

    private func missing(_ session: Session) throws -> [Migration] {
        let done = try Holdings(of: session, at: url.description, knowing: migrations).versions
        return migrations.filter { !done.contains($0.version) }
    }

    /// What may not be done is told with the way to allow it.
    private func explaining(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as PostgresFailure where failure.isForbidden {
            throw PostgresRefused.noPrivileges(url.description, failure.message)
        }
    }
}
