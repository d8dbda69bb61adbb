import ArgumentParser
import TillControl

struct SubscriptionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Lists, cancels, resumes, changes and extends subscriptions.",
        name: "subscription",
        examples: """
            till subscription list ann
            till subscription cancel ann
            till subscription change ann com.example.pro.year
            """,
        notes: "If a customer has several subscriptions, give the original transaction id of one.",
        subcommands: [
            List.self, Show.self, Cancel.self, Resume.self, Change.self, Extend.self, AcceptPrice.self,
            DeclinePrice.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Lists a customer's subscriptions with their status and next events.",
            examples: "till subscription list ann"
        )

        @OptionGroup var customer: ListedCustomer
        @OptionGroup var options: EnvironmentOptions

        func run() async throws {
            let shop = try await options.connect()
            let customer = try await shop.client.send(GetCustomer(app: shop.app, customer: customer.name))
            try options.server.show(customer.subscriptions) { subscriptions in
                Table.list(
                    ["ORIGINAL TRANSACTION", "PRODUCT", "STATUS"],
                    subscriptions.map { [$0.originalTransactionId, $0.productId, $0.summary] },
                    empty: "\(customer.customer) has no subscription."
                )
            }
        }
    }

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows all values of one subscription.",
            examples: "till subscription show ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) async throws -> GetSubscription {
            GetSubscription(app: shop.app, originalTransactionId: try await shop.subscription(subscription))
        }

        func text(_ answer: GetSubscription.Answer) throws -> String {
            try answer.subscription.map { try Output.lines(of: $0) } ?? ""
        }
    }

    struct Cancel: SendingCommand {
        static let configuration = CommandConfiguration(
            "Turns off auto-renew. The paid period continues to its end.",
            examples: "till subscription cancel ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> CancelSubscription {
            CancelSubscription(
                app: shop.app,
                originalTransactionId: try await shop.subscription(subscription),
                at: options.time
            )
        }

        func heading(_ answer: ActionInfo) -> String? { "Auto-renew is off." }
    }

    struct Resume: SendingCommand {
        static let configuration = CommandConfiguration(
            "Turns auto-renew on again.",
            examples: "till subscription resume ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> ResumeSubscription {
            ResumeSubscription(
                app: shop.app,
                originalTransactionId: try await shop.subscription(subscription),
                at: options.time
            )
        }

        func heading(_ answer: ActionInfo) -> String? { "Auto-renew is on." }
    }

    struct AcceptPrice: SendingCommand {
        static let configuration = CommandConfiguration(
            "Accepts a price increase for the customer.",
            examples: "till subscription accept-price ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> AcceptPriceIncrease {
            AcceptPriceIncrease(
                app: shop.app,
                originalTransactionId: try await shop.subscription(subscription),
                at: options.time
            )
        }

        func heading(_ answer: ActionInfo) -> String? { "The price increase is accepted." }
    }

    struct DeclinePrice: SendingCommand {
        static let configuration = CommandConfiguration(
            "Declines a price increase for the customer, and turns off auto-renew.",
            examples: "till subscription decline-price ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> DeclinePriceIncrease {
            DeclinePriceIncrease(
                app: shop.app,
                originalTransactionId: try await shop.subscription(subscription),
                at: options.time
            )
        }

        func heading(_ answer: ActionInfo) -> String? { "The price increase is declined, and auto-renew is off." }
    }

    struct Change: SendingCommand {
        static let configuration = CommandConfiguration(
            "Changes to another product of the subscription group, or to another billing plan.",
            examples: """
                till subscription change ann com.example.pro.year
                till subscription change ann com.example.pro.year --billing-plan MONTHLY
                """,
            notes: "An upgrade takes effect at once. Most other changes take effect at the next renewal."
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @Argument(help: "The new product identifier.")
        var product: String
        @Option(help: "Redeems the offer code offer with this identifier.")
        var code: String?
        @Option(help: "The billing plan, if the product has both.")
        var billingPlan: BillingPlanType?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> ChangeSubscription {
            ChangeSubscription(
                app: shop.app,
                originalTransactionId: try await shop.subscription(subscription),
                productId: product,
                offer: code.map { OfferToApply(kind: .code, id: $0) },
                billingPlan: billingPlan,
                at: options.time
            )
        }

        func heading(_ answer: PurchaseInfo) -> String? { PurchaseSummary.text(answer, product: product) }
    }

    struct Extend: SendingCommand {
        static let configuration = CommandConfiguration(
            "Extends the current period free of charge.",
            examples: "till subscription extend ann --days 14 --reason 3",
            notes: "To extend the subscriptions of all subscribers of a product, use till product extend."
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @Option(help: "The number of calendar days, 1 to 90.")
        var days: Int
        @Option(help: "The reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.")
        var reason: Int = 0
        @Option(name: .customLong("request"), help: "Your own request identifier. Repeating it has no further effect.")
        var identifier: String?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> ExtendSubscription {
            ExtendSubscription(
                app: shop.app,
                originalTransactionId: try await shop.subscription(subscription),
                days: days,
                reasonCode: reason,
                requestIdentifier: identifier,
                at: options.time
            )
        }

        func heading(_ answer: ActionInfo) -> String? { "Extended, days: \(days)." }
    }
}
