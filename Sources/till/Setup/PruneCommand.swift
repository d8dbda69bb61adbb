import ArgumentParser
import TillControl

struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes notifications that are older than the retention period.",
        discussion: """
            till prune --dry-run                 only counts them
            till prune                           deletes what the server deletes every hour
            till prune --days 90                 older than 90 days; only the signed date counts

            The age is measured on the slowest of real time, the environment's clock and the customer clocks.
            Notifications with pending deliveries are kept.
            """
    )

    @Option(help: "The retention period in days, instead of the server's setting (--notification-days).")
    var days: Int?
    @Flag(help: "Only counts what would be deleted.")
    var dryRun = false
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let request = PruneNotifications(days: days, dryRun: dryRun)
        try await server.show(answerTo: request, timeout: .seconds(3_600)) {
            try Output.lines(of: $0) + (dryRun ? "\nNothing was changed." : "")
        }
    }
}
