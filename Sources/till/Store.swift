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
        try await storage.requireWhole()
        return storage
    }

    /// What a command says when a store, or where it lies, refuses; nil for an error that is no refusal.
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

    /// What a command says when something failed that is no refusal.
    static func failure(_ error: any Error) -> CommandRefused {
        let full = "There is no room on the disk. Make room, or name a folder on another disk."
        return CommandRefused(error.isFullDisk ? full : error.logText.sentence)
    }

    private static func engine(_ url: String?, in directory: DataDirectory, isDurable: Bool) throws -> any Storage {
        do {
            guard let url else {
                try directory.prepareDatabase()
                return try SQLiteStorage(path: directory.database, isDurable: isDurable)
            }
            guard isDurable else { throw CommandRefused("--ephemeral keeps nothing; leave --database away.") }
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
