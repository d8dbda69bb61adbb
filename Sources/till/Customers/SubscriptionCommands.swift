import ArgumentParser
import TillControl

struct SubscriptionCommand: DocumentedCommand {
    static let summary = "Lists, cancels, resumes, changes and extends subscriptions."
    static let notes = "If a customer has several subscriptions, give the original transaction id of one."
    static var subcommands: Subcommands {
        [
            List.self, Show.self, Cancel.self, Resume.self, Change.self, Extend.self, AcceptPrice.self,
            DeclinePrice.self,
        ]
    }

    struct List: AnsweringCommand {
        static let summary = "Lists a customer's subscriptions with their status and next events."
        static let examples = "till subscription list ann"

        @OptionGroup var customer: ListedCustomer
        @OptionGroup var options: EnvironmentOptions

        func answer(_ shop: AppClient) async throws -> [SubscriptionInfo] {
            try await shop.client.send(GetCustomer(app: shop.app, customer: customer.name)).subscriptions
        }

        func text(_ subscriptions: [SubscriptionInfo]) -> String {
            Table.list(subscriptions, empty: "\(customer.name) has no subscription.")
        }
    }

    struct Show: SendingCommand {
        static let summary = "Shows all values of one subscription."
        static let examples = "till subscription show ann"

        @OptionGroup var subscription: SubscriptionArgument
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) async throws -> GetSubscription {
            GetSubscription(app: shop.app, originalTransactionId: try await subscription.id(shop))
        }

        func text(_ answer: TransactionInfo) throws -> String {
            try answer.subscription.map { try Output.lines(of: $0) } ?? ""
        }
    }

    struct Cancel: SendingCommand {
        static let summary = "Turns off auto-renew. The paid period continues to its end."
        static let examples = "till subscription cancel ann"

        @OptionGroup var subscription: SubscriptionArgument
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> CancelSubscription {
            CancelSubscription(app: shop.app, originalTransactionId: try await subscription.id(shop), at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "Auto-renew is off." }
    }

    struct Resume: SendingCommand {
        static let summary = "Turns auto-renew on again."
        static let examples = "till subscription resume ann"

        @OptionGroup var subscription: SubscriptionArgument
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> ResumeSubscription {
            ResumeSubscription(app: shop.app, originalTransactionId: try await subscription.id(shop), at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "Auto-renew is on." }
    }

    struct AcceptPrice: SendingCommand {
        static let summary = "Accepts a price increase for the customer."
        static let examples = "till subscription accept-price ann"

        @OptionGroup var subscription: SubscriptionArgument
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> AcceptPriceIncrease {
            AcceptPriceIncrease(app: shop.app, originalTransactionId: try await subscription.id(shop), at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "The price increase is accepted." }
    }

    struct DeclinePrice: SendingCommand {
        static let summary = "Declines a price increase for the customer, and turns off auto-renew."
        static let examples = "till subscription decline-price ann"

        @OptionGroup var subscription: SubscriptionArgument
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> DeclinePriceIncrease {
            DeclinePriceIncrease(app: shop.app, originalTransactionId: try await subscription.id(shop), at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "The price increase is declined, and auto-renew is off." }
    }

    struct Change: SendingCommand {
        static let summary = "Changes to another product of the subscription group, or to another billing plan."
        static let examples = """
            till subscription change ann com.example.pro.year
            till subscription change ann com.example.pro.year --billing-plan MONTHLY
            """
        static let notes = "An upgrade takes effect at once. Most other changes take effect at the next renewal."

        @OptionGroup var subscription: SubscriptionArgument
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
                originalTransactionId: try await subscription.id(shop),
                productId: product,
                offer: code.map { OfferToApply(kind: .code, id: $0) },
                billingPlan: billingPlan,
                at: options.at
            )
        }

        func heading(_ answer: PurchaseInfo) -> String? { answer.summary(of: product) }
    }

    struct Extend: SendingCommand {
        static let summary = "Extends the current period free of charge."
        static let examples = "till subscription extend ann --days 14 --reason 3"
        static let notes = "To extend the subscriptions of all subscribers of a product, use till product extend."

        @OptionGroup var subscription: SubscriptionArgument
        @OptionGroup var length: ExtensionOptions
        @Option(name: .customLong("request"), help: "Your own request identifier. Repeating it has no further effect.")
        var identifier: String?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> ExtendSubscription {
            ExtendSubscription(
                app: shop.app,
                originalTransactionId: try await subscription.id(shop),
                days: length.days,
                reasonCode: length.reason,
                requestIdentifier: identifier,
                at: options.at
            )
        }

        func heading(_ answer: ActionInfo) -> String? { "Extended, days: \(length.days)." }
    }
}

/// The argument that selects a subscription.
struct SubscriptionArgument: ParsableArguments {
    @Argument(help: "An original transaction id, or a customer with one subscription.")
    var subscription: String

    /// The original transaction id of the subscription.
    func id(_ shop: AppClient) async throws -> String {
        let isID = subscription.utf8.count >= 15 && subscription.utf8.allSatisfy { (0x30...0x39).contains($0) }
        if isID { return subscription }
        let own = try await shop.client.send(GetCustomer(app: shop.app, customer: subscription)).subscriptions
            .filter { $0.inAppOwnershipType == .purchased }
        guard let only = own.first, own.count == 1 else {
            let lines = own.map { "\($0.originalTransactionId)  \($0.productId)\n  \($0.summary)" }
            throw CommandRefused(
                own.isEmpty
                    ? "Customer \(subscription) has bought no subscription."
                    : "Customer \(subscription) has \(own.count) subscriptions. Give the original transaction of one:\n"
                        + lines.joined(separator: "\n")
            )
        }
        return only.originalTransactionId
    }
}

/// The length of an extension, and its reason.
struct ExtensionOptions: ParsableArguments {
    @Option(help: "The number of calendar days, 1 to 90.")
    var days: Int
    @Option(help: "The reason: 0 undeclared, 1 customer satisfaction, 2 other, 3 service issue or outage.")
    var reason: Int = 0
}

extension SubscriptionInfo: TableRow {
    static let headings = ["ORIGINAL TRANSACTION", "PRODUCT", "STATUS"]
    var cells: [String?] { [originalTransactionId, productId, summary] }
}
