import ArgumentParser
import NIOCore
import TillJSON
import TillShop

extension CustomerCommand {
    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Permanently erases a customer and all data about the customer in one app and environment.",
            discussion: """
                till customer erase eva --dry-run              only counts
                till customer erase eva
                till customer erase eva --remove-snapshots     also deletes snapshots that contain eva

                The customer's family loses the shared purchases, as when a member leaves. The name can be used again.
                Existing backups and exported states still contain eva.
                """
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Flag(help: "Only counts what would be erased.")
        var dryRun = false
        @Flag(help: "Also deletes snapshots that contain the customer.")
        var removeSnapshots = false
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.rawClient()
            let answer = try await client.post(
                "\(try await scope.path(client))/customers/\(escaped(customer))/erase",
                .members(["dryRun": .bool(dryRun), "removeSnapshots": .bool(removeSnapshots)]),
                timeout: .minutes(10)
            )
            Output.show(answer, asJSON: server.json) { answer in
                let holding = answer["snapshots"]?.elements.compactMap(\.text) ?? []
                let hint =
                    holding.isEmpty
                    ? ""
                    : "\nSnapshots still contain \(customer): \(holding.joined(separator: ", ")). "
                        + "Remove them with --remove-snapshots, or with till snapshot remove."
                let done = dryRun ? "Nothing was changed." : "\(customer) is erased."
                return Output.lines(answer) + "\n" + done + hint
            }
        }
    }
}
