import CPostgres
import TillStorage

/// What the server, or the way to it, answered instead of a result. Holds no value of any row.
struct PostgresFailure: StorageTrouble, CustomStringConvertible {
    /// The statement that failed; nil while connecting and for what has no name.
    let statement: (any SentStatement)?
    /// Five characters (SQLSTATE); nil when the connection ended.
    let code: String?
    /// The server's sentence, without its details.
    let message: String

    var description: String {
        let place = statement.map { " in \($0.name)" } ?? ""
        return "PostgreSQL\(code.map { " " + $0 } ?? "")\(place): \(message)"
    }

    /// A guard of a statement let no row pass: each divides by the number of rows that it wrote.
    var isGuard: Bool { code == "22012" }
    /// A second row of the same key, or a row without its account.
    var isConstraint: Bool { code?.hasPrefix("23") ?? false }
    /// Two transactions stood in each other's way; one of them is to begin again.
    var isCollision: Bool { code == "40P01" || code == "40001" }
    /// The role may not do it, or may use no schema.
    var isForbidden: Bool { code == "42501" || code == "3F000" }
    /// Ended because somebody asked for it, or because it took too long.
    var isCanceled: Bool { code == "57014" }
    /// Whether the same may go well a moment later: the connection ended, or somebody was in the way.
    var isPassing: Bool {
        endsConnection || isCollision || isCanceled || code == "55P03" || (code?.hasPrefix("53") ?? false)
    }
    /// Whether the connection is of no more use: it ended, the server goes, or it has become a standby.
    var endsConnection: Bool {
        guard let code else { return true }
        return code.hasPrefix("08") || code.hasPrefix("57P") || code == "25006"
    }
}
