import ArgumentParser
import TillControl
import TillCore
import TillShop

struct TransactionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Lists and shows transactions.",
        name: "transaction",
        examples: """
            till transaction list ann
            till transaction show 2000000000012345
            """,
        subcommands: [List.self, Show.self]
    )

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists a customer's transactions, newest first.",
            examples: "till transaction list ann --limit 20"
        )

        @OptionGroup var customer: ListedCustomer
        @Option(help: "The start of the page, as printed after the previous page.")
        var after: String?
        @Option(help: "Maximum number of results, 1 to 100.")
        var limit: Int = 50
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListTransactions {
            ListTransactions(app: shop.app, customer: customer.name, after: after, limit: limit)
        }

        func text(_ page: LedgerEntryList) -> String {
            Table.list(
                ["TRANSACTION", "PRODUCT", "PURCHASED", "EXPIRES", "PRICE", "REFUNDED"],
                page.transactions.map { entry in
                    [
                        entry.transactionId, entry.productId, entry.purchaseDate.iso8601,
                        entry.expiresDate?.iso8601 ?? "-",
                        entry.price.map { Money(milliunits: $0, currency: entry.currency ?? "").words } ?? "-",
                        entry.revocationDate?.iso8601 ?? "-",
                    ]
                },
                empty: "\(customer.name) has no transactions.",
                next: page.next
            )
        }
    }

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows a transaction; --json also prints its signed data.",
            examples: "till transaction show 2000000000012345"
        )

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetTransaction { GetTransaction(app: shop.app, transactionId: transaction) }
    }
}
