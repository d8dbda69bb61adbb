import ArgumentParser
import NIOCore
import TillJSON
import TillShop

struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Deletes notifications older than the retention period.",
        discussion: """
            till prune --dry-run                 counts them
            till prune                           the same as the server's hourly run
            till prune --days 90                 older than 90 days by signed date only

            Age is measured on the slowest clock: real time, the environment's clock, or a customer clock.
            Notifications with pending deliveries are kept.
            """
    )

    @Option(help: "The age in days, instead of the server's setting (--notification-days).")
    var days: Int?
    @Flag(help: "Counts only; changes nothing.")
    var dryRun = false
    @OptionGroup var server: ServerOptions

    func run() async throws {
        let answer = try await server.client().post(
            "/v1/prune",
            .members(["days": .count(days), "dryRun": .bool(dryRun)]),
            timeout: .minutes(60)
        )
        Output.show(answer, asJSON: server.json) { Output.lines($0) + (dryRun ? "\nNothing was changed." : "") }
    }
}
