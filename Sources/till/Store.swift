import TillPostgres
import TillSQLite
import TillShop
import TillStorage

/// Where a server keeps its data.
enum Store {
    /// The database that is named, or the one that lies in the data directory.
    ///
    /// - Parameters:
    ///   - url: may hold a password, and is in no message.
    ///   - isDurable: false for a store that nobody keeps, which is never a database that others use.
    static func open(_ url: String?, in directory: DataDirectory, isDurable: Bool) async throws -> any Storage {
        let storage = try engine(url, in: directory, isDurable: isDurable)
        guard try await !storage.isUnfinished else { throw MigrationRefused.unfinished }
        return storage
    }

    private static func engine(_ url: String?, in directory: DataDirectory, isDurable: Bool) throws -> any Storage {
        do {
            guard let url else {
                try directory.prepareDatabase()
                return try SQLiteStorage(path: directory.database, isDurable: isDurable)
            }
            guard isDurable else { throw CommandRefused("--ephemeral keeps nothing; leave --database away.") }
            return try PostgresStorage(DatabaseURL(url))
        } catch let refused as CommandRefused {
            throw refused
        } catch let refused as DirectoryRefused {
            throw refused
        } catch let refused as StoreRefused {
            throw refused
        } catch let refused as PostgresRefused {
            throw refused
        } catch {
            guard url == nil else { throw CommandRefused("The database cannot be opened: \(error)") }
            throw CommandRefused(
                "\(directory.database) cannot be opened: \(error). "
                    + "Run till doctor --data \(directory.path), or restore a backup."
            )
        }
    }
}
