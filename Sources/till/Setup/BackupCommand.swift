import ArgumentParser
import Foundation
import TillControl

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copies all data into a new folder while the server runs.",
        discussion: """
            till backup /var/backups/till-monday
            till serve --data /var/backups/till-monday          starts a server with the copy
            till restore --from /var/backups/till-monday        restores the copy

            The copy has the database, certificates and keys. Its database is SQLite, also if the server's is not.
            """
    )

    @Argument(help: "A folder that does not exist yet, on the server's machine.")
    var folder: String
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let target = URL(fileURLWithPath: folder).standardizedFileURL.path
        try await server.show(answerTo: CreateBackup(to: target), timeout: .seconds(36_000)) { backup in
            let rows = backup.tables.reduce(0) { $0 + $1.rows }
            return "Copied to \(backup.directory): \(rows) rows. The copy was read and verified."
        }
    }
}
