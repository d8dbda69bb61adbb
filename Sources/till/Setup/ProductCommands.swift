import ArgumentParser
import TillControl

struct ProductCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Lists, shows and updates products; raises prices, extends subscriptions, turns on Family Sharing.",
        name: "product",
        examples: """
            till product list
            till product update com.example.pro.month --for-sale false
            """,
        notes: "To create products, import a .storekit file with till import.",
        subcommands: [List.self, Show.self, Update.self, RaisePrice.self, Extend.self, Share.self]
    )

    struct List: SendingCommand {
        static let configuration = CommandConfiguration("Lists the products of an app.", examples: "till product list")

        @OptionGroup var options: AppOptions

        func request(_ bundleID: String) -> GetCatalog { GetCatalog(bundleId: bundleID) }

        func text(_ catalog: CatalogInfo) -> String {
            Table.list(
                ["PRODUCT", "TYPE", "GROUP", "LEVEL", "PERIOD", "PRICE", "FOR SALE", "FAMILY SHARING"],
                catalog.products.map {
                    [
                        $0.productId, $0.type.rawValue, $0.subscription?.groupId ?? "-",
                        $0.subscription.map { String($0.level) } ?? "-", $0.subscription?.period ?? "-",
                        "\($0.price) \($0.currency ?? "")", $0.forSale == false ? "no" : "yes",
                        $0.familyShareable == true ? "yes" : "no",
                    ]
                },
                empty: "No products. Import a catalog: till import FILE.storekit"
            )
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Shows a product with its prices and offers.",
            examples: "till product show com.example.pro.month"
        )

        @Argument(help: "The product identifier.")
        var product: String
        @OptionGroup var options: AppOptions

        func run() async throws {
            let bundleID = try await options.connect()
            let products = try await options.server.client().send(GetCatalog(bundleId: bundleID)).products
            guard let found = products.first(where: { $0.productId == product }) else {
                throw CommandRefused(
                    "There is no product \(product). till product list prints the products.",
                    code: "unknown_product"
                )
            }
            try options.server.show(found)
        }
    }

    struct Update: SendingCommand {
        static let configuration = CommandConfiguration(
            "Removes a product from sale in both environments, or puts it back on sale.",
            examples: """
                # its subscriptions end with their current period
                till product update com.example.pro.month --for-sale false
                till product update com.example.pro.month --for-sale true
                """
        )

        @Argument(help: "The product identifier.")
        var product: String
        @Option(help: "true or false.")
        var forSale: Bool
        @OptionGroup var options: AppOptions

        func request(_ bundleID: String) -> SetForSale {
            SetForSale(bundleId: bundleID, productId: product, forSale: forSale)
        }

        func text(_ answer: ProductInfo) -> String {
            forSale
                ? "\(product) is for sale."
                : "\(product) is no longer for sale. Its subscriptions end with their current period."
        }
    }
}
