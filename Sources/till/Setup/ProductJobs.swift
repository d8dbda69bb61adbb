import ArgumentParser
import TillControl
import TillCore
import TillShop

// Operations on all subscribers of a product. Each is a job.

extension ProductCommand {
    struct RaisePrice: SendingCommand {
        static let configuration = CommandConfiguration(
            "Raises a price. New customers pay it at once; subscribers are notified first.",
            examples: """
                till product raise-price com.example.pro.month --to 5.99
                till product raise-price com.example.pro.month --to 9.99 --consent required
                """
        )

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
                at: options.time
            )
        }

        func text(_ job: JobInfo) -> String {
            JobCommand.words(JobCommand.heading("The price is raised.", scheduled: "The price increase", job), job)
        }
    }

    struct Extend: SendingCommand {
        static let configuration = CommandConfiguration(
            "Extends the subscriptions of all subscribers of a product.",
            examples: "till product extend com.example.pro.month --days 3 --reason 3"
        )

        @Argument(help: "The product identifier.")
        var product: String
        @Option(help: "The number of calendar days, 1 to 90.")
        var days: Int
        @Option(help: "The reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.")
        var reason: Int = 0
        @Option(name: .customLong("request"), help: "Your own request identifier, a UUID.")
        var identifier: String?
        @Option(help: "Only this storefront; may be repeated.")
        var storefront: [Storefront] = []
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> ExtendAll {
            ExtendAll(
                app: shop.app,
                productId: product,
                days: days,
                reasonCode: reason,
                requestIdentifier: identifier,
                storefronts: storefront.isEmpty ? nil : storefront,
                at: options.time
            )
        }

        func text(_ job: JobInfo) -> String {
            let done = "Extended, days: \(days)."
            return JobCommand.words(JobCommand.heading(done, scheduled: "The extension, days: \(days),", job), job)
        }
    }

    struct Share: SendingCommand {
        static let configuration = CommandConfiguration(
            "Turns on Family Sharing for a product. Families then share what their members own.",
            examples: "till product share com.example.pro.month"
        )

        @Argument(help: "The product identifier.")
        var product: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> ShareProduct {
            ShareProduct(app: shop.app, productId: product, at: options.time)
        }

        func text(_ job: JobInfo) -> String { JobCommand.words("Family Sharing is on for \(product).", job) }
    }
}

/// A price on the command line, such as 5.99.
struct WrittenPrice: ExpressibleByArgument {
    let milliunits: Int64

    init?(argument: String) {
        guard let milliunits = Money.milliunits(argument) else { return nil }
        self.milliunits = milliunits
    }
}
