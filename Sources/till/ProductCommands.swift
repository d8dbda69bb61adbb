import ArgumentParser
import TillShop

struct ProductCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "product",
        abstract: "Removes products from sale and restores them.",
        discussion: """
            till product remove com.example.pro.month      its subscriptions end with their period
            till product restore com.example.pro.month
            """,
        subcommands: [Remove.self, Restore.self]
    )

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a product from sale in both realms.",
            discussion: "till product remove com.example.pro.month"
        )

        @Argument(help: "The product.")
        var product: String
        @Option(help: "The bundle identifier (default: the only app there is).")
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

        @Argument(help: "The product.")
        var product: String
        @Option(help: "The bundle identifier (default: the only app there is).")
        var app: String?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await ProductCommand.sell(product, true, app, server)
        }
    }

    private static func sell(_ product: String, _ isForSale: Bool, _ app: String?, _ server: ServerOptions) async throws
    {
        let client = try server.client()
        var scope = ScopeOptions()
        scope.app = app
        scope.realm = nil
        let bundleID = try await scope.bundleID(client)
        let answer = try await client.post(
            "/v1/apps/\(escaped(bundleID))/products/\(escaped(product))/sale",
            .members(["forSale": .bool(isForSale)])
        )
        Output.show(answer, asJSON: server.json) { _ in
            isForSale
                ? "\(product) is for sale."
                : "\(product) is no longer for sale; its subscriptions end with their period."
        }
    }
}
