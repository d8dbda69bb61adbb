import ArgumentParser
import TillControl

extension FamilyCommand {
    struct Share: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shares one purchase with the customer's family again.",
            discussion: "till family share 2000000000012345"
        )

        @Argument(help: "The original transaction id of the purchase.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                SetSharing(app: $0.app, transactionId: transaction, shared: true, at: options.time)
            } saying: { _ in
                "The purchase is shared with the family."
            }
        }
    }

    struct Unshare: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Stops sharing one purchase with the customer's family.",
            discussion: "till family unshare 2000000000012345"
        )

        @Argument(help: "The original transaction id of the purchase.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                SetSharing(app: $0.app, transactionId: transaction, shared: false, at: options.time)
            } saying: { _ in
                "The purchase is no longer shared with the family."
            }
        }
    }
}
