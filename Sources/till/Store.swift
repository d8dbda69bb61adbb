import TillPostgres
import TillSQLite
import TillShop
import TillStorage

/// Opens the store of a server.
enum Store {
    /// Opens the given database, or the one in the data directory.
    ///
    /// - Parameters:
    ///   - url: may contain a password, so no message shows it.
    ///   - isDurable: false for a store of a temporary server, which is never a shared database.
    static func open(_ url: String?, in directory: DataDirectory, isDurable: Bool) async throws -> any Storage {
        let storage = try engine(url, in: directory, isDurable: isDurable)
        try await storage.requireWhole()
        return storage
    }

    /// The message for a refusal by a store or its folder; nil for other errors.
    static func refusal(_ error: any Error) -> CommandRefused? {
        switch error {
        case let refused as CommandRefused: refused
        case let refused as BackupRefused: CommandRefused(refused.description)
        case let refused as MigrationRefused: CommandRefused(refused.description)
        case let refused as RootRefused: CommandRefused(refused.description)
        case let refused as DirectoryRefused: CommandRefused(refused.description)
        case let refused as StoreRefused: CommandRefused(refused.description)
        case let refused as PostgresRefused: CommandRefused(refused.description)
        default: nil
        }
    }

    /// The message for an error that is not a refusal.
    static func failure(_ error: any Error) -> CommandRefused {
        let full = "The disk is full. Free some space, or name a folder on another disk."
        return CommandRefused(error.isFullDisk ? full : error.logText.sentence)
    }

    private static func engine(_ url: String?, in directory: DataDirectory, isDurable: Bool) throws -> any Storage {
        do {
            guard let url else {
                try directory.prepareDatabase()
                return try SQLiteStorage(path: directory.database, isDurable: isDurable)
            }
            guard isDurable else { throw CommandRefused("--ephemeral and --database exclude each other. Remove one.") }
            return try PostgresStorage(DatabaseURL(url))
        } catch {
            if let refused = refusal(error) { throw refused }
            guard url == nil else { throw CommandRefused("The database cannot be opened: \(error.logText)") }
            throw CommandRefused(
                "\(directory.database) cannot be opened: \(error.logText). "
                    + "Run till doctor --data \(directory.path), or restore a backup."
            )
        }
    }
}
