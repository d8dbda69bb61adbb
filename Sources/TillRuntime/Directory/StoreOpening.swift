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
        let storage: any Storage
        do {
            if let url {
                storage = try PostgresStorage(DatabaseURL(url))
            } else {
                try directory.prepareDatabase()
                storage = try SQLiteStorage(path: directory.database, isDurable: isDurable)
            }
        } catch {
            if error is DirectoryRefused || error is StoreRefused || error is PostgresRefused { throw error }
            guard url == nil else { throw RuntimeRefused("The database cannot be opened: \(error.logText)") }
            throw RuntimeRefused(
                "\(directory.database) cannot be opened: \(error.logText). "
                    + "Run till doctor --data \(directory.path), or restore a backup."
            )
        }
        try await storage.requireWhole()
        return storage
    }
}
