import TillStorage

/// Why a database is not used.
package enum PostgresRefused: StorageTrouble, CustomStringConvertible {
    case noLibrary(String)
    case badURL(String)
    case newer(String)
    case older(String)
    case encoding(String)
    case closed
    case crowded(Int)
    case waitedTooLong(Duration)
    case cannotConnect(String)

    package var isPassing: Bool {
        switch self {
        case .closed, .crowded, .waitedTooLong, .cannotConnect: true
        default: false
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
            "The database \(place) is of an older version of Till. Start the server on it once; it brings it up."
        case .encoding(let found): "The database must be encoded in UTF8, and is in \(found): create it anew."
        case .closed: "The database is closed."
        case .crowded(let count): "\(count) statements wait for the database already."
        case .waitedTooLong(let wait): "No connection to the database was free within \(wait)."
        case .cannotConnect(let reason): "The database cannot be reached: \(reason)"
        }
    }
}
