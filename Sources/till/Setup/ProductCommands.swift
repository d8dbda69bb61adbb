import ArgumentParser
import TillControl

struct ProductCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "product",
        abstract: "Removes products from sale, restores them, and turns on Family Sharing.",
        discussion: """
            till product remove com.example.pro.month      its subscriptions end with their current period
            till product restore com.example.pro.month
            """,
        subcommands: [Remove.self, Restore.self, Share.self]
    )

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a product from sale in both environments.",
            discussion: "till product remove com.example.pro.month"
        )

        @Argument(help: "The product identifier.")
        var product: String
        @Option(help: "The bundle identifier (default: the only app).")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await ProductCommand.sell(product, false, app, server)
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts a product back on sale.",
            discussion: "till product restore com.example.pro.month"
        )

        @Argument(help: "The product identifier.")
        var product: String
        @Option(help: "The bundle identifier (default: the only app).")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await ProductCommand.sell(product, true, app, server)
        }
    }

    struct Share: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turns on Family Sharing for a product. Families then share what their members own.",
            discussion: "till product share com.example.pro.month"
        )

        @Argument(help: "The product identifier.")
        var product: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.server.show(in: options.scope) {
                ShareProduct(app: $0.app, productId: product, at: options.time)
            } as: {
                JobCommand.words("Family Sharing is on for \(product).", $0)
            }
        }
    }

    private static func sell(_ product: String, _ isForSale: Bool, _ app: String?, _ server: ServerOptions) async throws
    {
        let bundleID = try await ScopeOptions.bundleID(app, try server.client())
        let request = SetForSale(bundleId: bundleID, productId: product, forSale: isForSale)
        try await server.show(answerTo: request) { _ in
            isForSale
                ? "\(product) is for sale."
                : "\(product) is no longer for sale. Its subscriptions end with their current period."
        }
    }
}
