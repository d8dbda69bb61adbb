import CPostgres
import TillStorage

/// An error of the server or of the connection. Contains no row values.
struct PostgresFailure: StorageError, CustomStringConvertible {
    /// The statement that failed; nil while connecting and for unnamed scripts.
    let statement: (any SentStatement)?
    /// The SQLSTATE (five characters); nil when the connection ended.
    let code: String?
    /// The server's primary message, without details.
    let message: String

    var description: String {
        let place = statement.map { " in \($0.name)" } ?? ""
        return "PostgreSQL\(code.map { " " + $0 } ?? "")\(place): \(message)"
    }

    /// A guarded statement matched no row: each guard divides by the number of rows written.
    var isGuard: Bool { code == "22012" }
    /// A duplicate key, or a row without its account.
    var isConstraint: Bool { code?.hasPrefix("23") ?? false }
    /// Two transactions conflicted; one of them must start again.
    var isCollision: Bool { code == "40P01" || code == "40001" }
    /// The role lacks a privilege, or may use no schema.
    var isForbidden: Bool { code == "42501" || code == "3F000" }
    /// Cancelled on request or by a time-out.
    var isCanceled: Bool { code == "57014" }
    /// Whether a retry a moment later may succeed: the connection ended, or another transaction was in the way.
    var isTransient: Bool {
        endsConnection || isCollision || isCanceled || code == "55P03" || (code?.hasPrefix("53") ?? false)
    }
    /// Whether the connection is unusable: it ended, the server shuts down, or it has become a standby.
    var endsConnection: Bool {
        guard let code else { return true }
        return code.hasPrefix("08") || code.hasPrefix("57P") || code == "25006"
    }
}
