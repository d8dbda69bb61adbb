import ArgumentParser
import TillControl
import TillCore
import TillShop

struct ProductCommand: DocumentedCommand {
    static let summary =
        "Lists, shows and updates products; raises prices, extends subscriptions, turns on Family Sharing."
    static let notes = "To create products, import a .storekit file with till import."
    static var subcommands: Subcommands {
        [List.self, Show.self, Update.self, RaisePrice.self, Extend.self, Share.self]
    }

    struct List: SendingCommand {
        static let summary = "Lists the products of an app."
        static let examples = "till product list"

        @OptionGroup var options: AppOptions

        func request(_ bundleID: String) -> GetCatalog { GetCatalog(bundleId: bundleID) }
    }

    struct Show: AnsweringCommand {
        static let summary = "Shows a product with its prices and offers."
        static let examples = "till product show com.example.pro.month"

        @Argument(help: "The product identifier.")
        var product: String
        @OptionGroup var options: AppOptions

        func answer(_ bundleID: String) async throws -> ProductInfo {
            let products = try await options.server.client().send(GetCatalog(bundleId: bundleID)).products
            if let found = products.first(where: { $0.productId == product }) { return found }
            throw CommandRefused(
                "There is no product \(product). till product list prints the products.",
                code: "unknown_product"
            )
        }
    }

    struct Update: SendingCommand {
        static let summary = "Removes a product from sale in both environments, or puts it back on sale."
        static let examples = """
            # its subscriptions end with their current period
            till product update com.example.pro.month --for-sale false
            till product update com.example.pro.month --for-sale true
            """

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

    // MARK: Operations on all subscribers of a product. Each is a job.

    struct RaisePrice: SendingCommand {
        static let summary = "Raises a price. New customers pay it at once; subscribers are notified first."
        static let examples = """
            till product raise-price com.example.pro.month --to 5.99
            till product raise-price com.example.pro.month --to 9.99 --consent required
            """

        @Argument(help: "The product identifier.")
        var product: String
        @Option(help: "The new price of a full period, such as 5.99.")
        var to: WrittenPrice
        @Option(help: "Only in this storefront, which must have a price of its own.")
        var storefront: Storefront?
        @Option(help: "Whether subscribers must consent (default: automatic).")
        var consent: PriceConsent?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> TillControl.RaisePrice {
            TillControl.RaisePrice(
                app: shop.app,
                productId: product,
                price: to.milliunits,
                storefront: storefront,
                consent: consent,
                at: options.at
            )
        }

        func text(_ job: JobInfo) -> String {
            job.text(job.heading("The price is raised.", scheduled: "The price increase"))
        }
    }

    struct Extend: SendingCommand {
        static let summary = "Extends the subscriptions of all subscribers of a product."
        static let examples = "till product extend com.example.pro.month --days 3 --reason 3"

        @Argument(help: "The product identifier.")
        var product: String
        @OptionGroup var length: ExtensionOptions
        @Option(name: .customLong("request"), help: "Your own request identifier, a UUID.")
        var identifier: String?
        @Option(help: "Only this storefront; may be repeated.")
        var storefront: [Storefront] = []
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> ExtendAll {
            ExtendAll(
                app: shop.app,
                productId: product,
                days: length.days,
                reasonCode: length.reason,
                requestIdentifier: identifier,
                storefronts: storefront.isEmpty ? nil : storefront,
                at: options.at
            )
        }

        func text(_ job: JobInfo) -> String {
            let days = "days: \(length.days)"
            return job.text(job.heading("Extended, \(days).", scheduled: "The extension, \(days),"))
        }
    }

    struct Share: SendingCommand {
        static let summary = "Turns on Family Sharing for a product. Families then share what their members own."
        static let examples = "till product share com.example.pro.month"

        @Argument(help: "The product identifier.")
        var product: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> ShareProduct {
            ShareProduct(app: shop.app, productId: product, at: options.at)
        }

        func text(_ job: JobInfo) -> String { job.text("Family Sharing is on for \(product).") }
    }
}

extension CatalogInfo: TableAnswer {
    var rows: [ProductInfo] { products }
}

extension ProductInfo: TableRow {
    static let headings = ["PRODUCT", "TYPE", "GROUP", "LEVEL", "PERIOD", "PRICE", "FOR SALE", "FAMILY SHARING"]
    static let empty = "No products. Import a catalog: till import FILE.storekit"
    var cells: [String?] {
        [
            productId, type.rawValue, subscription?.groupId ?? "-", subscription.map { "\($0.level)" } ?? "-",
            subscription?.period ?? "-", "\(price) \(currency ?? "")", forSale == false ? "no" : "yes",
            familyShareable == true ? "yes" : "no",
        ]
    }
}
