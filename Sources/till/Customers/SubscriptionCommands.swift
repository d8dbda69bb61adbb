import ArgumentParser
import TillControl

struct SubscriptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscription",
        abstract: "Lists, cancels, resumes, changes and extends subscriptions.",
        discussion: """
            till subscription list ann
            till subscription cancel ann              if ann has several: the original transaction id
            till subscription change 2000000000012345 com.example.pro.year
            till subscription extend ann --days 14
            """,
        subcommands: [
            List.self, Show.self, Cancel.self, Resume.self, Change.self, Extend.self, AcceptPrice.self,
            DeclinePrice.self,
        ]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists a customer's subscriptions with their status and next events.",
            discussion: "till subscription list ann"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                ListSubscriptions(app: $0.app, customer: customer)
            } as: { answer in
                let lines = answer.map(ActionSummary.subscription)
                return lines.isEmpty ? "\(customer) has no subscription." : lines.joined(separator: "\n")
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows all values of one subscription.",
            discussion: "till subscription show ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                GetSubscription(app: $0.app, originalTransactionId: try await $0.subscription(subscription))
            } as: {
                try $0.subscription.map { try Output.lines(of: $0) } ?? ""
            }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turns off auto-renew. The paid period continues to its end.",
            discussion: "till subscription cancel ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                CancelSubscription(
                    app: $0.app,
                    originalTransactionId: try await $0.subscription(subscription),
                    at: options.time
                )
            } saying: { _ in
                "Auto-renew is off."
            }
        }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turns auto-renew on again.",
            discussion: "till subscription resume ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                ResumeSubscription(
                    app: $0.app,
                    originalTransactionId: try await $0.subscription(subscription),
                    at: options.time
                )
            } saying: { _ in
                "Auto-renew is on."
            }
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes to another product of the subscription group, or to another billing plan.",
            discussion: """
                till subscription change ann com.example.pro.year
                till subscription change ann com.example.pro.year --billing-plan MONTHLY

                An upgrade takes effect at once. Most other changes take effect at the next renewal.
                """
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

        func run() async throws {
            try await options.perform {
                ChangeSubscription(
                    app: $0.app,
                    originalTransactionId: try await $0.subscription(subscription),
                    productId: product,
                    offer: code.map { OfferToApply(kind: .code, id: $0) },
                    billingPlan: billingPlan,
                    at: options.time
                )
            } saying: {
                PurchaseSummary.text($0, product: product)
            }
        }
    }

    struct Extend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Extends the current period free of charge.",
            discussion: "till subscription extend ann --days 14 --reason 3"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @Option(help: "The number of calendar days, 1 to 90.")
        var days: Int
        @Option(help: "The reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.")
        var reason: Int = 0
        @Option(help: "Your own request identifier. Repeating it has no further effect.")
        var request: String?
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.extend(subscription, days: days, reason: reason, request: request)
        }
    }

    struct AcceptPrice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accepts a price increase for the customer.",
            discussion: "till subscription accept-price ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                AcceptPriceIncrease(
                    app: $0.app,
                    originalTransactionId: try await $0.subscription(subscription),
                    at: options.time
                )
            } saying: { _ in
                "The price increase is accepted."
            }
        }
    }

    struct DeclinePrice: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declines a price increase for the customer, and turns off auto-renew.",
            discussion: "till subscription decline-price ann"
        )

        @Argument(help: "An original transaction id, or a customer with one subscription.")
        var subscription: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                DeclinePriceIncrease(
                    app: $0.app,
                    originalTransactionId: try await $0.subscription(subscription),
                    at: options.time
                )
            } saying: { _ in
                "The price increase is declined, and auto-renew is off."
            }
        }
    }
}

extension ActionOptions {
    /// Extends one subscription. `till extend` does the same as `till subscription extend`.
    func extend(_ subscription: String, days: Int, reason: Int, request: String?) async throws {
        try await perform {
            ExtendSubscription(
                app: $0.app,
                originalTransactionId: try await $0.subscription(subscription),
                days: days,
                reasonCode: reason,
                requestIdentifier: request,
                at: time
            )
        } saying: { _ in
            "Extended, days: \(days)."
        }
    }
}
