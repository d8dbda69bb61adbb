import ArgumentParser
import TillControl

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
            try await server.show(in: scope, timeout: .seconds(600)) {
                EraseCustomer(app: $0.app, customer: customer, dryRun: dryRun, removeSnapshots: removeSnapshots)
            } as: { answer in
                let hint =
                    answer.snapshots.isEmpty
                    ? ""
                    : "\nSnapshots still contain \(customer): \(answer.snapshots.joined(separator: ", ")). "
                        + "Remove them with --remove-snapshots, or with till snapshot remove."
                let done = dryRun ? "Nothing was changed." : "\(customer) is erased."
                return try Output.lines(of: answer) + "\n" + done + hint
            }
        }
    }
}
