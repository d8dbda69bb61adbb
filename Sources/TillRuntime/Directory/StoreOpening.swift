import TillPostgres
import TillSQLite
import TillShop
import TillStorage

/// Opens the store for a server.
enum StoreOpening {
    /// Opens the database at a URL, or the SQLite database in the data directory.
    ///
    /// - Parameters:
    ///   - url: the database URL. It may contain a password, so no message shows it.
    ///   - isDurable: whether a commit must survive a power failure; false for an ephemeral directory.
    static func open(_ url: String?, in directory: DataDirectory, isDurable: Bool) async throws -> any Storage {
        let storage = try engine(url, in: directory, isDurable: isDurable)
        try await storage.requireWhole()
        return storage
    }

    private static func engine(_ url: String?, in directory: DataDirectory, isDurable: Bool) throws -> any Storage {
        do {
            guard let url else {
                try directory.prepareDatabase()
                return try SQLiteStorage(path: directory.database, isDurable: isDurable)
            }
            return try PostgresStorage(DatabaseURL(url))
        } catch {
            if error is DirectoryRefused || error is StoreRefused || error is PostgresRefused { throw error }
            guard url == nil else { throw RuntimeRefused("The database cannot be opened: \(error.logText)") }
            throw RuntimeRefused(
                "\(directory.database) cannot be opened: \(error.logText). "
                    + "Run till doctor --data \(directory.path), or restore a backup."
            )
        }
    }
}
