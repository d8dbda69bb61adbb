import TillStorage

/// The reason why a database cannot be used.
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
            "The database \(place) was created by a newer version of Till. Run that version, or use another database."
        case .older(let place):
            "The database \(place) belongs to an older version of Till, so nothing in it was checked. Start the "
                + "server with it once to migrate it."
        case .empty(let place):
            "The database \(place) holds no shop. Check the database name in TILL_DATABASE. To create a shop, run "
                + "till serve with an empty database."
        case .notTills(let place, let table):
            "The database \(place) contains tables that are not Till's (\(table)). Specify an empty database in "
                + "TILL_DATABASE; nothing was changed."
        case .noPrivileges(let place, let what):
            "The role may not use the database \(place) (\(what)). Grant it the privileges in docs/operating/scale.md, "
                + "section Privileges, such as GRANT USAGE, CREATE ON SCHEMA public TO role."
        case .encoding(let found): "The database must use the encoding UTF8, but uses \(found). Create it again."
        case .closed: "The database is closed."
        case .crowded(let count): "\(count) statements already wait for the database. Try again later."
        case .waitedTooLong(let wait): "No connection to the database was free within \(wait)."
        case .cannotConnect(let reason):
            "The database cannot be reached: \(reason)"
                + (Self.isOfURL(reason) ? ". Check TILL_DATABASE: host, user, password and the database's name." : "")
        }
    }

    /// Whether the server rejected a value of the URL. The server sends no error code before authentication, so this
    /// compares the text of the message. The hint is therefore missing for messages in languages other than English.
    private static func isOfURL(_ reason: String) -> Bool {
        [
            "authentication failed", "does not exist", "no password supplied", "not permitted to log in",
            "permission denied for database", "no pg_hba.conf entry", "could not translate host name",
        ].contains { reason.contains($0) }
    }
}
