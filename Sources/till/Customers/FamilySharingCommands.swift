import ArgumentParser
import TillShop

extension FamilyCommand {
    struct Share: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The customer shares one purchase with the family again.",
            discussion: "till family share 2000000000012345"
        )

        @Argument(help: "The purchase, by its original transaction.")
        var transaction: String
        @OptionGroup var options: ActOptions

        func run() async throws {
            try await options.act([
                "shared": .bool(true)
            ]) { _ in
                "transactions/\(escaped(transaction))/sharing"
            } saying: { _ in
                "The family shares it."
            }
        }
    }

    struct Unshare: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "The customer takes one purchase from the rest of the family.",
            discussion: "till family unshare 2000000000012345"
        )

        @Argument(help: "The purchase, by its original transaction.")
        var transaction: String
        @OptionGroup var options: ActOptions

        func run() async throws {
            try await options.act([
                "shared": .bool(false)
            ]) { _ in
                "transactions/\(escaped(transaction))/sharing"
            } saying: { _ in
                "The family no longer shares it."
            }
        }
    }
}
