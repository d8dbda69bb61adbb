import ArgumentParser
import TillControl

struct CardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card",
        abstract: "Declines a customer's card, or accepts the card again.",
        discussion: """
            till card decline ann                 renewals fail from now on
            till card decline ann --purchases     purchases too
            till card accept ann                  failed payments are charged at once
            """,
        subcommands: [Decline.self, Accept.self]
    )

    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declines the card for renewals from now on.",
            discussion: "till card decline ann --purchases"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Flag(help: "Also declines new purchases.")
        var purchases = false
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                let card: Card = purchases ? .declined : .declinedForRenewals
                return UpdateCustomer(app: $0.app, customer: customer, card: card, at: options.time)
            } saying: { _ in
                purchases ? "The card is declined." : "The card is declined for renewals."
            }
        }
    }

    struct Accept: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accepts the card again. Failed payments are charged at once.",
            discussion: "till card accept ann"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                UpdateCustomer(app: $0.app, customer: customer, card: .accepted, at: options.time)
            } saying: { _ in
                "The card is accepted."
            }
        }
    }
}

struct AskToBuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask-to-buy",
        abstract: "Sets whether a parent must approve a customer's purchases (Ask to Buy).",
        discussion: """
            till ask-to-buy on kim
            till purchase approve kim
            """,
        subcommands: [On.self, Off.self]
    )

    struct On: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Requires a parent's approval for each of the customer's purchases.",
            discussion: "till ask-to-buy on kim"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await AskToBuyCommand.set(true, customer, options)
        }
    }

    struct Off: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Requires no approval for the customer's purchases.",
            discussion: "till ask-to-buy off kim"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await AskToBuyCommand.set(false, customer, options)
        }
    }

    private static func set(_ asks: Bool, _ customer: String, _ options: ActionOptions) async throws {
        try await options.perform {
            UpdateCustomer(app: $0.app, customer: customer, asksToBuy: asks, at: options.time)
        } saying: { _ in
            asks ? "A parent must approve purchases by \(customer)." : "Purchases by \(customer) need no approval."
        }
    }
}

struct PurchaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purchase",
        abstract: "Lists pending purchases, and approves or declines them.",
        discussion: """
            till purchase list kim
            till purchase approve kim             the only pending purchase
            till purchase decline kim 3
            """,
        subcommands: [List.self, Approve.self, Decline.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists a customer's pending purchases.",
            discussion: "till purchase list kim"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                ListHeldPurchases(app: $0.app, customer: customer)
            } as: { answer in
                let lines = answer.map(PurchaseCommand.line)
                return lines.isEmpty ? "\(customer) has no pending purchases." : lines.joined(separator: "\n")
            }
        }
    }

    struct Approve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Approves or completes a pending purchase.",
            discussion: "till purchase approve kim"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Argument(help: "The number of the purchase; optional if only one purchase is pending.")
        var number: Int64?
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform { server in
                let number = try await PurchaseCommand.number(number, of: customer, server)
                return ApprovePurchase(app: server.app, customer: customer, number: number, at: options.time)
            } saying: { answer in
                PurchaseSummary.text(answer, product: nil)
            }
        }
    }

    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declines a pending purchase.",
            discussion: "till purchase decline kim"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Argument(help: "The number of the purchase; optional if only one purchase is pending.")
        var number: Int64?
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.server.show(in: options.scope) { server in
                let number = try await PurchaseCommand.number(number, of: customer, server)
                return DeclinePurchase(app: server.app, customer: customer, number: number, at: options.time)
            } as: {
                ActionSummary.text("The purchase was declined.", $0, state: [("customer", customer)])
            }
        }
    }

    private static func line(_ held: HeldPurchaseInfo) -> String {
        let reason =
            switch held.reason {
            case .askToBuy: "waits for a parent"
            case .interrupted: "waits for the customer"
            }
        return "\(held.number)  \(held.productId)  \(reason)"
    }

    /// The given number, or the number of the customer's only pending purchase.
    private static func number(_ number: Int64?, of customer: String, _ server: AppClient) async throws -> Int64 {
        if let number { return number }
        let held = try await server.client.send(ListHeldPurchases(app: server.app, customer: customer))
        guard let only = held.first, held.count == 1 else {
            throw CommandRefused(
                held.isEmpty
                    ? "\(customer) has no pending purchases."
                    : "\(customer) has \(held.count) pending purchases. Give the number of one:\n"
                        + held.map(line).joined(separator: "\n")
            )
        }
        return only.number
    }
}
