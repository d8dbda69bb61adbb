import ArgumentParser
import TillJSON
import TillShop

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
            try await options.perform([
                "shared": .bool(true)
            ]) { _ in
                "transactions/\(escaped(transaction))/sharing"
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
            try await options.perform([
                "shared": .bool(false)
            ]) { _ in
                "transactions/\(escaped(transaction))/sharing"
            } saying: { _ in
                "The purchase is no longer shared with the family."
            }
        }
    }
}
