import TillPostgres
import TillRuntime
import TillSQLite
import TillShop
import TillStorage

/// Messages for errors of a server, of its store and of its data directory.
extension CommandRefused {
    /// The message of a refusal by a server, a store or a data directory; nil for any other error.
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

    /// The message of an error that is not a refusal.
    static func failure(_ error: any Error) -> CommandRefused {
        let full = "The disk is full. Free some space, or give a folder on another disk."
        return CommandRefused(error.isFullDisk ? full : error.logText.sentence)
    }
}
