import ArgumentParser
import NIOCore
import TillShop

struct PruneCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune",
        abstract: "Removes notifications that are older than they are kept.",
        discussion: """
            till prune --dry-run                 how many it would be now
            till prune                           what the server does every hour by itself
            till prune --days 90                 older than 90 days, whenever they were made

            Age is measured by the clock that is furthest behind: real time, the environment's clock, or a customer's own.
            What is still due to an endpoint is kept.
            """
    )

    @Option(help: "Older than so many days, instead of what the server keeps (--notification-days).")
    var days: Int?
    @Flag(help: "Counts, and changes nothing.")
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
