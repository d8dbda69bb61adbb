import ArgumentParser
import Foundation
import NIOCore
import TillJSON
import TillShop

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
        let outcome = try await server.rawClient().post(
            "/v1/backup",
            .members(["to": .string(target)]),
            timeout: .minutes(600)
        )
        Output.show(outcome, asJSON: server.json) { answer in
            let rows = answer["tables"]?.elements.reduce(0) { $0 + (Int($1["rows"]?.text ?? "") ?? 0) } ?? 0
            return "Copied to \(answer["directory"]?.text ?? ""): \(rows) rows. The copy was read and verified."
        }
    }
}
