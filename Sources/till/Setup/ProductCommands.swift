import ArgumentParser
import TillJSON
import TillShop

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
            let client = try options.server.rawClient()
            let path = "\(try await options.scope.path(client))/products/\(escaped(product))/sharing"
            let answer = try await client.post(path, options.body([:]))
            Output.show(answer, asJSON: options.server.json) {
                JobCommand.words("Family Sharing is on for \(product).", $0)
            }
        }
    }

    private static func sell(_ product: String, _ isForSale: Bool, _ app: String?, _ server: ServerOptions) async throws
    {
        let client = try server.rawClient()
        var scope = ScopeOptions()
        scope.app = app
        scope.environment = nil
        let bundleID = try await scope.bundleID(client.typed)
        let answer = try await client.post(
            "/v1/apps/\(escaped(bundleID))/products/\(escaped(product))/sale",
            .members(["forSale": .bool(isForSale)])
        )
        Output.show(answer, asJSON: server.json) { _ in
            isForSale
                ? "\(product) is for sale."
                : "\(product) is no longer for sale. Its subscriptions end with their current period."
        }
    }
}
