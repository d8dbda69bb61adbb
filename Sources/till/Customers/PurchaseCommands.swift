import ArgumentParser
import TillControl

struct PurchaseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Lists pending purchases, and approves or declines them.",
        name: "purchase",
        examples: """
            till purchase list kim
            # the only pending purchase
            till purchase approve kim
            """,
        subcommands: [List.self, Approve.self, Decline.self]
    )

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists a customer's pending purchases.",
            examples: "till purchase list kim"
        )

        @OptionGroup var customer: ListedCustomer
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListHeldPurchases {
            ListHeldPurchases(app: shop.app, customer: customer.name)
        }

        func text(_ held: [HeldPurchaseInfo]) -> String {
            PurchaseCommand.table(held, empty: "\(customer.name) has no pending purchases.")
        }
    }

    struct Approve: SendingCommand {
        static let configuration = CommandConfiguration(
            "Approves or completes a pending purchase.",
            examples: "till purchase approve kim"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Argument(help: "The number of the purchase; optional if only one purchase is pending.")
        var number: Int64?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> ApprovePurchase {
            let number = try await PurchaseCommand.number(number, of: customer, shop)
            return ApprovePurchase(app: shop.app, customer: customer, number: number, at: options.time)
        }

        func heading(_ answer: PurchaseInfo) -> String? { PurchaseSummary.text(answer, product: nil) }
    }

    struct Decline: SendingCommand {
        static let configuration = CommandConfiguration(
            "Declines a pending purchase.",
            examples: "till purchase decline kim 3"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Argument(help: "The number of the purchase; optional if only one purchase is pending.")
        var number: Int64?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> DeclinePurchase {
            let number = try await PurchaseCommand.number(number, of: customer, shop)
            return DeclinePurchase(app: shop.app, customer: customer, number: number, at: options.time)
        }

        func text(_ answer: CustomerChange) -> String {
            ActionSummary.text("The purchase was declined.", answer, state: [("customer", customer)])
        }
    }

    private static func table(_ held: [HeldPurchaseInfo], empty: String) -> String {
        Table.list(
            ["NUMBER", "PRODUCT", "QUANTITY", "WAITS FOR"],
            held.map {
                let waitsFor =
                    switch $0.reason {
                    case .askToBuy: "a parent"
                    case .interrupted: "the customer"
                    }
                return [String($0.number), $0.productId, String($0.quantity), waitsFor]
            },
            empty: empty
        )
    }

    /// The given number, or the number of the customer's only pending purchase.
    private static func number(_ number: Int64?, of customer: String, _ shop: AppClient) async throws -> Int64 {
        if let number { return number }
        let held = try await shop.client.send(ListHeldPurchases(app: shop.app, customer: customer))
        guard let only = held.first, held.count == 1 else {
            throw CommandRefused(
                held.isEmpty
                    ? "\(customer) has no pending purchases."
                    : "\(customer) has \(held.count) pending purchases. Give the number of one:\n"
                        + table(held, empty: "")
            )
        }
        return only.number
    }
}
