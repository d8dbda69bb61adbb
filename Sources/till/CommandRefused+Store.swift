import TillPostgres
import TillRuntime
import TillSQLite
import TillShop
import TillStorage

/// Messages for the errors of a server, its store and its folder.
extension CommandRefused {
    /// The message for a refusal by the server, a store or its folder; nil for other errors.
    static func refusal(_ error: any Error) -> CommandRefused? {
        switch error {
        case let refused as CommandRefused: refused
        case let refused as RuntimeRefused: CommandRefused(refused.description)
        case let refused as PortRefused: CommandRefused(refused.description)
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
}
