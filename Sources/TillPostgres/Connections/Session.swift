import CPostgres
import Foundation

/// One connection. It is used on its worker's thread only, so libpq may block.
final class Session {
    let connection: OpaquePointer
    /// Cancels a running statement from another thread.
    let cancellation: CancelHandle
    private var prepared: Set<String> = []
    private(set) var isBroken = false
    let handle: ConnectionHandle
    private let notices = Notices()

    /// Connects.
    ///
    /// - Parameters:
    ///   - primaryTracker: watches the connection; without it the connection may wait for ever.
    ///   - host: which of several; nil for the first that accepts.
    /// - Throws: `PostgresRefused.cannotConnect` without the secrets of the URL.
    init(
        _ url: DatabaseURL,
        _ settings: PostgresSettings,
        under primaryTracker: PrimaryTracker? = nil,
        at host: [DatabaseURL.Parameter] = []
    ) throws {
        // The URL comes last but one, so that its time-outs for the network and TLS take precedence.
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

    /// Generic plans are kept: partitions are pruned when a statement begins, and planning over thirty-two partitions
    /// costs more than running. Every statement is an ordered index range, whatever the table statistics say. Commits
    /// are durable whatever the role's setting is. At the end the server reports its timeline, or 0 for a standby.
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

    /// Whether it can still be used. A server that sends something unasked has gone or is about to go; a new connection
    /// is cheaper then.
    func isAlive() -> Bool {
        guard !isBroken, PQstatus(connection) == CONNECTION_OK else { return false }
        var socket = pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) == 0
    }

    /// Whether no transaction and no pipeline is open on it.
    func isIdle() -> Bool {
        !isBroken && PQtransactionStatus(connection) == PQTRANS_IDLE && PQpipelineStatus(connection) == PQ_PIPELINE_OFF
    }

    /// Runs commands without parameters, several at once if needed.
    @discardableResult
    func run(script: String) throws -> Rows {
        try waiting { try finished(PQexec(connection, script), nil) }
    }

    /// Runs one statement: one round trip, and one more the first time on this connection.
    func run(_ statement: Statement, _ arguments: Arguments = Arguments()) throws -> Rows {
        try run(any: statement, arguments)
    }

    /// The same for any kind of statement.
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

    /// Prepares the statements that this connection has not prepared yet.
    func prepare(_ statements: [any SentStatement]) throws {
        for statement in statements where !prepared.contains(statement.name) {
            _ = try waiting {
                try finished(PQprepare(connection, statement.name, statement.sql, 0, nil), statement)
            }
            prepared.insert(statement.name)
        }
    }

    /// Records that this connection cannot be used any more.
    func noteFailure(_ failure: PostgresFailure) {
        if failure.endsConnection || PQstatus(connection) != CONNECTION_OK { isBroken = true }
    }

    private func finished(_ result: OpaquePointer?, _ statement: (any SentStatement)?) throws -> Rows {
        guard let result else { throw lost(statement) }
        let rows = Rows(result)
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

    // MARK: Waiting

    /// Runs something that waits for the server, while the primary tracker may end it.
    func waiting<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        notices.isCommitDoubtful = false
        return try handle.waiting(body)
    }

    /// Runs something without a limit on its time.
    func patiently<Answer>(_ body: () throws -> Answer) rethrows -> Answer {
        handle.setPatient(true)
        defer { handle.setPatient(false) }
        return try body()
    }

    /// The server acknowledged the commit but stopped waiting for its standby. The commit may be lost with the server,
    /// so it does not count as a success.
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
