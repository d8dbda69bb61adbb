import CPostgres
import TillStorage

/// An error of the server or of the connection. It contains no values of rows.
struct PostgresFailure: StorageError, CustomStringConvertible {
    /// The statement that failed; nil during connection and for unnamed scripts.
    let statement: (any SentStatement)?
    /// The SQLSTATE code of five characters; nil if the connection ended.
    let code: String?
    /// The server's primary message, without details.
    let message: String

    var description: String {
        let place = statement.map { " in \($0.name)" } ?? ""
        return "PostgreSQL\(code.map { " " + $0 } ?? "")\(place): \(message)"
    }

    /// Whether a guarded statement matched no row. A guard divides by the number of written rows, so this is a division
    /// by zero.
    var isGuard: Bool { code == "22012" }
    /// Whether a constraint failed: the key already exists, or the account of a row does not exist.
    var isConstraint: Bool { code?.hasPrefix("23") ?? false }
    /// Whether two transactions conflicted, so that one of them must start again.
    var isCollision: Bool { code == "40P01" || code == "40001" }
    /// Whether the role lacks a privilege, or has no schema that it may use.
    var isForbidden: Bool { code == "42501" || code == "3F000" }
    /// Whether the statement was cancelled on request or by a time-out.
    var isCanceled: Bool { code == "57014" }
    /// Whether a later attempt may succeed, because the connection ended or another transaction was in the way.
    var isTransient: Bool {
        endsConnection || isCollision || isCanceled || code == "55P03" || (code?.hasPrefix("53") ?? false)
    }
    /// Whether the connection can no longer be used: it ended, or the server shuts down or has become a standby.
    var endsConnection: Bool {
        guard let code else { return true }
        return code.hasPrefix("08") || code.hasPrefix("57P") || code == "25006"
    }
}
