import CPostgres
import Foundation
import TillStorage

/// One connection to the server. It is used on its own thread only, so libpq may block.
final class Session {
    let connection: OpaquePointer
    /// The handle with which another thread cancels a running statement.
    let cancellation: CancelHandle
    private var prepared: Set<String> = []
    private(set) var isBroken = false
    let handle: ConnectionHandle
    private let notices = Notices()

    /// Opens a connection.
    ///
    /// - Parameters:
    ///   - primaryTracker: The tracker that monitors the connection. Without a tracker, the connection may wait
    ///     forever.
    ///   - host: The parameters of one of several hosts; nil for the first host that accepts the connection.
    /// - Throws: `PostgresRefused.cannotConnect`, without the secrets of the URL.
    init(
        _ url: DatabaseURL,
        _ settings: PostgresSettings,
        under primaryTracker: PrimaryTracker? = nil,
        at host: [DatabaseURL.Parameter] = []
    ) throws {
        // The URL is the last parameter but one, so that its time-outs for the network and TLS take precedence.
        let parameters =
            [
                ("connect_timeout", String(max(2, settings.connectTimeout.components.seconds))),
                ("keepalives_idle", "10"), ("keepalives_interval", "3"), ("keepalives_count", "3"),
                ("tcp_user_timeout", "15000"), ("fallback_application_name", "till"),
                ("target_session_attrs", url.hosts.isEmpty ? "any" : "read-write"), ("dbname", url.text),
                ("client_encoding", "UTF8"),
            ] + host
        let opened = Self.withCStrings(parameters.map(\.0)) { names in
            Self.withCStrings(parameters.map(\.1)) { values in PQconnectdbParams(names, values, 1) }
        }
        guard let opened else { throw PostgresRefused.cannotConnect("libpq has no memory") }
        guard PQstatus(opened) == CONNECTION_OK else {
            let message = String(cString: PQerrorMessage(opened)).split(separator: "\n").joined(separator: " ")
            PQfinish(opened)
            throw PostgresRefused.cannotConnect(url.redacted(message))
        }
        connection = opened
        cancellation = CancelHandle(of: opened)
        handle = ConnectionHandle(of: opened)
        PQsetNoticeReceiver(opened, Notices.receiver, Unmanaged.passUnretained(notices).toOpaque())
        primaryTracker?.add(handle)
        let timeline = try run(script: Self.preamble(settings)).first?.maybeText(0) ?? ""
        try primaryTracker?.admit(handle, on: Int64(timeline, radix: 16) ?? 0)
    }

    deinit { PQfinish(connection) }

    /// The commands at the start of each connection. They force generic plans: partitions are pruned when a statement
    /// begins, and planning over 32 partitions costs more than execution. Every statement reads an ordered index range,
    /// whatever the table statistics are. Commits are durable, whatever the role's setting is. At the end, the server
    /// reports its timeline, or 0 for a standby.
    private static func preamble(_ settings: PostgresSettings) -> String {
        """
        SET statement_timeout = \(settings.statementTimeout.wholeMilliseconds);
        SET lock_timeout = \(settings.lockTimeout.wholeMilliseconds);
        SET idle_in_transaction_session_timeout = \(settings.statementTimeout.wholeMilliseconds);
        SET default_transaction_isolation = 'read committed';
        SET plan_cache_mode = force_generic_plan;
        SET jit = off;
        SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off;
        SET enable_hashjoin = off; SET enable_mergejoin = off;
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
        SELECT CASE WHEN pg_is_in_recovery() THEN '0' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END;
        """
    }

    /// Whether the connection can still be used. If the server sends data that no one requested, it has stopped or will
    /// stop soon, so a new connection is better.
    func isAlive() -> Bool {
        guard !isBroken, PQstatus(connection) == CONNECTION_OK else { return false }
        var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) == 0
    }

    /// Whether the connection has no open transaction and no open pipeline.
    func isIdle() -> Bool {
        !isBroken && PQtransactionStatus(connection) == PQTRANS_IDLE && PQpipelineStatus(connection) == PQ_PIPELINE_OFF
    }

    /// Runs a script of one or more commands without parameters.
    @discardableResult
    func run(script: String) throws -> Rows {
        try waiting { try finished(PQexec(connection, script), nil) }
    }

    /// Runs one statement in one round trip. The first use of the statement on this connection needs one more round
    /// trip.
    func run(_ statement: Statement, _ arguments: Arguments = Arguments()) throws -> Rows {
        try run(any: statement, arguments)
    }

    func run(_ statement: CommonStatement, _ arguments: Arguments = Arguments()) throws -> Rows {
        try run(any: SentCommonStatement(statement: statement), arguments)
    }

    /// Runs one statement of any kind, like `run(_:_:)`.
    func run(any statement: some SentStatement, _ arguments: Arguments) throws -> Rows {
        try prepare([statement])
        return try arguments.withPointers { count, values, lengths, formats in
            try waiting {
                let rows = try finished(
                    PQexecPrepared(connection, statement.name, count, values, lengths, formats, 1),
                    statement
                )
                try requireDurable()
                return rows
            }
        }
    }

    /// Prepares those of the statements that this connection has not prepared yet.
    func prepare(_ statements: [any SentStatement]) throws {
        for statement in statements where !prepared.contains(statement.name) {
            _ = try waiting {
                try finished(PQprepare(connection, statement.name, statement.sql, 0, nil), statement)
            }
            prepared.insert(statement.name)
        }
    }

    /// Records whether the connection can still be used after a failure.
    func noteFailure(_ failure: PostgresFailure) {
        if failure.endsConnection || PQstatus(connection) != CONNECTION_OK { isBroken = true }
    }

    private func finished(_ result: OpaquePointer?, _ statement: (any SentStatement)?) throws -> Rows {
        guard let result else { throw lost(statement) }
        let rows = Rows(result, of: statement?.table ?? "answer")
        switch rows.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: return rows
        default:
            let failure = rows.failure(of: statement)
            noteFailure(failure)
            throw failure
        }
    }

    /// The error for a connection that ended during a statement.
    func lost(_ statement: (any SentStatement)?) -> PostgresFailure {
        isBroken = true
        return PostgresFailure(statement: statement, code: nil, message: "the connection ended")
    }

    // MARK: Waiting for the server

    /// Runs an action that waits for the server. In the meantime, the primary tracker may close the connection.
    func waiting<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        notices.isCommitDoubtful = false
        return try handle.waiting(body)
    }

    /// Runs an action without a time limit.
    func patiently<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        handle.setPatient(true)
        defer { handle.setPatient(false) }
        return try body()
    }

    /// Throws an error if the server acknowledged the commit without its standby. The commit would be lost together
    /// with the server, so it does not count as a success.
    func requireDurable() throws {
        guard notices.isCommitDoubtful else { return }
        throw PostgresFailure(
            statement: Statement.commit,
            code: nil,
            message: "the server no longer waited for its standby"
        )
    }

    private static func withCStrings<Answer>(
        _ texts: [String],
        _ body: ([UnsafePointer<CChar>?]) -> Answer
    ) -> Answer {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies.map { UnsafePointer($0) } + [nil])
    }
}
