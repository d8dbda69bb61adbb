import ArgumentParser
import TillControl

struct BackupCommand: SendingCommand {
    static let summary = "Copies all data into a new folder while the server runs."
    static let examples = """
        till backup /var/backups/till-monday
        # starts a server with the copy
        till serve --data /var/backups/till-monday
        # restores the copy
        till restore --from /var/backups/till-monday
        """
    static let notes =
        "The copy has the database, certificates and keys. Its database is SQLite, also if the server's is not."

    @Argument(help: "A folder that does not exist yet, on the server's machine.")
    var folder: String
    @OptionGroup var options: ServerOptions

    var timeout: Duration { .seconds(36_000) }

    func request(_ client: ControlClient) -> CreateBackup {
        CreateBackup(to: folder.absolutePath)
    }

    func text(_ backup: BackupInfo) -> String {
        let rows = backup.tables.reduce(0) { $0 + $1.rows }
        return "Copied to \(backup.directory): \(rows) rows. The copy was read and verified."
    }
}
