/// Why a database is not used.
package enum PostgresRefused: Error, CustomStringConvertible {
    case noLibrary(String)
    case badURL(String)
    case newer(String)
    case older(String)
    case encoding(String)
    case taken(String)
    case closed
    case crowded(Int)
    case waitedTooLong(Duration)
    case cannotConnect(String)

    package var description: String {
        switch self {
        case .noLibrary(let reason):
            "PostgreSQL's client library is missing (\(reason)): apt-get install --yes libpq5"
        case .badURL(let reason): "The database URL cannot be used: \(reason)."
        case .newer(let place):
            "The database \(place) was made by a newer version of Till. Run that version, or name another database."
        case .older(let place):
            "The database \(place) is of an older version of Till. Start the server on it once; it brings it up."
        case .encoding(let found): "The database must be encoded in UTF8, and is in \(found): create it anew."
        case .taken(let place):
            "Another Till works on the database \(place). Stop it, or name another database; several on one come later."
        case .closed: "The database is closed."
        case .crowded(let count): "\(count) statements wait for the database already."
        case .waitedTooLong(let wait): "No connection to the database was free within \(wait)."
        case .cannotConnect(let reason): "The database cannot be reached: \(reason)"
        }
    }
}
