import ArgumentParser
import TillControl

struct CardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Declines a customer's card, or accepts the card again.",
        name: "card",
        examples: """
            # renewals fail from now on
            till card decline ann
            # failed payments are charged at once
            till card accept ann
            """,
        subcommands: [Decline.self, Accept.self]
    )

    struct Decline: SendingCommand {
        static let configuration = CommandConfiguration(
            "Declines the card for renewals from now on.",
            examples: """
                till card decline ann
                # purchases too
                till card decline ann --purchases
                """
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @Flag(help: "Also declines new purchases.")
        var purchases = false
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> UpdateCustomer {
            let card: Card = purchases ? .declined : .declinedForRenewals
            return UpdateCustomer(app: shop.app, customer: customer, card: card, at: options.time)
        }

        func heading(_ answer: CustomerChange) -> String? {
            purchases ? "The card is declined." : "The card is declined for renewals."
        }
    }

    struct Accept: SendingCommand {
        static let configuration = CommandConfiguration(
            "Accepts the card again. Failed payments are charged at once.",
            examples: "till card accept ann"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> UpdateCustomer {
            UpdateCustomer(app: shop.app, customer: customer, card: .accepted, at: options.time)
        }

        func heading(_ answer: CustomerChange) -> String? { "The card is accepted." }
    }
}
