import ArgumentParser
import TillControl

struct PurchaseCommand: DocumentedCommand {
    static let summary = "Lists pending purchases, and approves or declines them."
    static var subcommands: Subcommands { [List.self, Approve.self, Decline.self] }

    struct List: SendingCommand {
        static let summary = "Lists a customer's pending purchases."
        static let examples = "till purchase list kim"

        @OptionGroup var customer: ListedCustomer
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListHeldPurchases {
            ListHeldPurchases(app: shop.app, customer: customer.name)
        }

        func text(_ held: [HeldPurchaseInfo]) -> String {
            Table.list(held, empty: "\(customer.name) has no pending purchases.")
        }
    }

    struct Approve: SendingCommand {
        static let summary = "Approves or completes a pending purchase."
        static let examples = "till purchase approve kim"

        @OptionGroup var purchase: PendingPurchase
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> ApprovePurchase {
            let number = try await purchase.onlyNumber(shop)
            return ApprovePurchase(app: shop.app, customer: purchase.customer, number: number, at: options.at)
        }

        func heading(_ answer: PurchaseInfo) -> String? { answer.summary(of: nil) }
    }

    struct Decline: SendingCommand {
        static let summary = "Declines a pending purchase."
        static let examples = "till purchase decline kim 3"

        @OptionGroup var purchase: PendingPurchase
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) async throws -> DeclinePurchase {
            let number = try await purchase.onlyNumber(shop)
            return DeclinePurchase(app: shop.app, customer: purchase.customer, number: number, at: options.at)
        }

        func text(_ answer: CustomerChange) -> String {
            ActionSummary.text("The purchase was declined.", answer, state: [("customer", purchase.customer)])
        }
    }
}

/// The arguments that select a pending purchase.
struct PendingPurchase: ParsableArguments {
    @Argument(help: "The customer's name.")
    var customer: String
    @Argument(help: "The number of the purchase; optional if only one purchase is pending.")
    var number: Int64?

    /// The given number, or the number of the customer's only pending purchase.
    func onlyNumber(_ shop: AppClient) async throws -> Int64 {
        if let number { return number }
        let held = try await shop.client.send(ListHeldPurchases(app: shop.app, customer: customer))
        guard let only = held.first, held.count == 1 else {
            throw CommandRefused(
                held.isEmpty
                    ? "\(customer) has no pending purchases."
                    : "\(customer) has \(held.count) pending purchases. Give the number of one:\n\(Table.list(held))"
            )
        }
        return only.number
    }
}

extension HeldPurchaseInfo: TableRow {
    static let headings = ["NUMBER", "PRODUCT", "QUANTITY", "WAITS FOR"]
    var cells: [String?] {
        let waitsFor =
            switch reason {
            case .askToBuy: "a parent"
            case .interrupted: "the customer"
            }
        return ["\(number)", productId, "\(quantity)", waitsFor]
    }
}
