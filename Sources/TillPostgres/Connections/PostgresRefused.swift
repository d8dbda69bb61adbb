import TillStorage

/// Why a database cannot be used.
package enum PostgresRefused: StorageError, CustomStringConvertible {
    case noLibrary(String)
    case badURL(String)
    case newer(String)
    case older(String)
    case empty(String)
    case notTills(String, String)
    case noPrivileges(String, String)
    case encoding(String)
    case closed
    case crowded(Int)
    case waitedTooLong(Duration)
    case cannotConnect(String)

    package var isTransient: Bool {
        switch self {
        case .closed, .crowded, .waitedTooLong, .cannotConnect: true
        default: false
        }
    }

    package var isUnreached: Bool {
        switch self {
        case .newer, .older, .encoding: false
        default: true
        }
    }

    package var description: String {
        switch self {
        case .noLibrary(let reason):
            "PostgreSQL's client library is missing (\(reason)): apt-get install --yes libpq5"
        case .badURL(let reason): "The database URL cannot be used: \(reason)."
        case .newer(let place):
            "The database \(place) was made by a newer version of Till. Run that version, or name another database."
        case .older(let place):
            "The database \(place) is of an older version of Till. Start the server on it once to migrate it."
        case .empty(let place):
            "The database \(place) holds no shop. Check its name in TILL_DATABASE; till serve creates a shop in an "
                + "empty one."
        case .notTills(let place, let table):
            "The database \(place) contains tables that are not Till's (\(table)). Name an empty database in "
                + "TILL_DATABASE; nothing was changed."
        case .noPrivileges(let place, let what):
            "The role may not use the database \(place) (\(what)). Grant it what docs/operating/scale.md lists under "
                + "Privileges, such as GRANT USAGE, CREATE ON SCHEMA public TO role."
        case .encoding(let found): "The database must use the encoding UTF8, but uses \(found). Create it again."
        case .closed: "The database is closed."
        case .crowded(let count): "Already \(count) statements wait for the database. Try again later."
        case .waitedTooLong(let wait): "No connection to the database was free within \(wait)."
        case .cannotConnect(let reason):
            "The database cannot be reached: \(reason)"
                + (Self.isOfURL(reason) ? ". Check TILL_DATABASE: host, user, password and the database's name." : "")
        }
    }

    /// Whether the server rejected what the URL says. Before authentication it sends no error code, so the message text
    /// is compared; for messages in other languages than English the hint is missing.
    private static func isOfURL(_ reason: String) -> Bool {
        [
            "authentication failed", "does not exist", "no password supplied", "not permitted to log in",
            "permission denied for database", "no pg_hba.conf entry", "could not translate host name",
        ].contains { reason.contains($0) }
    }
}
