import ArgumentParser
import TillControl
import TillCore

struct CustomerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Creates, lists, shows, updates and deletes customers.",
        name: "customer",
        examples: """
            till customer create eva --storefront DEU
            till customer update eva --clock trial
            """,
        subcommands: [Create.self, List.self, Show.self, Update.self, Delete.self, Offers.self]
    )

    struct Create: SendingCommand {
        static let configuration = CommandConfiguration(
            "Creates a customer. If the customer exists, nothing changes.",
            examples: """
                till customer create eva --storefront DEU
                # on a new clock that begins at this date
                till customer create vera --clock new:2026-01-31
                """
        )

        @Argument(help: "The customer's name in Till.")
        var customer: String
        @Option(help: "The customer's storefront, three capital letters (default USA).")
        var storefront: Storefront?
        @Flag(help: "The customer never downloaded the app, so there is no app transaction.")
        var withoutApp = false
        @Option(help: "The customer's clock: a clock's name, or new:2026-01-01 for a new clock.")
        var clock: ClockOfNewCustomer?
        @Option(help: "The time at which the customer downloads the app (default: now).")
        var at: WrittenInstant?
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> CreateCustomer {
            CreateCustomer(
                app: shop.app,
                customer: customer,
                storefront: storefront,
                downloadsApp: withoutApp ? false : nil,
                clock: clock?.name,
                newClock: clock?.start,
                at: at?.instant
            )
        }

        func heading(_ answer: CustomerInfo) -> String? {
            let clock = answer.clock.map { "the clock \($0)" } ?? "the environment's clock"
            return answer.created == true
                ? "Created the customer \(customer), on \(clock)."
                : "The customer \(customer) exists already, on \(clock). Nothing was changed."
        }
    }

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists customers in pages.",
            examples: "till customer list --limit 20"
        )

        @Option(help: "Shows the page after this appTransactionId.")
        var after: String?
        @Option(help: "Maximum number of results, 1 to 100.")
        var limit: Int = 50
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListCustomers { ListCustomers(app: shop.app, after: after, limit: limit) }

        func text(_ page: CustomerList) -> String {
            Table.list(
                ["CUSTOMER", "STOREFRONT", "TRANSACTIONS", "SUBSCRIPTIONS", "CLOCK", "APP TRANSACTION ID"],
                page.customers.map {
                    [
                        $0.customer, $0.storefront.code, String($0.transactions), String($0.subscriptions.count),
                        $0.clock ?? "-", $0.appTransactionId,
                    ]
                },
                empty: "No customers. Create one: till customer create NAME",
                next: page.next
            )
        }
    }

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows a customer, with the customer's subscriptions and owned products.",
            examples: "till customer show eva --environment production"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetCustomer { GetCustomer(app: shop.app, customer: customer) }
    }

    struct Offers: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists the offers that a customer has used.",
            examples: "till customer offers eva"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListUsedOffers { ListUsedOffers(app: shop.app, customer: customer) }

        func text(_ offers: [UsedOfferInfo]) -> String {
            Table.list(
                ["OFFER TYPE", "OFFER", "PRODUCT", "LAST USE", "TRANSACTIONS"],
                offers.map {
                    [
                        String($0.offerType.rawValue), $0.offerIdentifier ?? "-", $0.productId,
                        $0.lastUseDate.iso8601, String($0.transactions),
                    ]
                },
                empty: "\(customer) has used no offers."
            )
        }
    }
}
