import ArgumentParser
import NIOCore
import TillShop

extension CustomerCommand {
    struct Erase: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Erases a customer and everything that names them in one app and environment, for ever.",
            discussion: """
                till customer erase eva --dry-run              how much it is
                till customer erase eva
                till customer erase eva --remove-snapshots     snapshots that hold eva go, too

                What eva shared is taken from the family, as when a member leaves. The name may be used anew. Backups
                and written states that were made before hold eva still.
                """
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Flag(help: "Counts, and changes nothing.")
        var dryRun = false
        @Flag(help: "Removes the snapshots, too, in which the customer stands.")
        var removeSnapshots = false
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
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
                    : "\n\(customer) stands in snapshots still: \(holding.joined(separator: ", ")). "
                        + "Remove these with --remove-snapshots, or by till snapshot remove."
                let done = dryRun ? "Nothing was changed." : "\(customer) is erased."
                return Output.lines(answer) + "\n" + done + hint
            }
        }
    }
}
