import ArgumentParser
import TillControl
import TillCore
import TillShop

struct TransactionCommand: DocumentedCommand {
    static let summary = "Lists and shows transactions."
    static var subcommands: Subcommands { [List.self, Show.self] }

    struct List: SendingCommand {
        static let summary = "Lists a customer's transactions, newest first."
        static let examples = "till transaction list ann --limit 20"

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
            Table.list(page, empty: "\(customer.name) has no transactions.")
        }
    }

    struct Show: SendingCommand {
        static let summary = "Shows a transaction; --json also prints its signed data."
        static let examples = "till transaction show 2000000000012345"

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetTransaction { GetTransaction(app: shop.app, transactionId: transaction) }
    }
}

extension LedgerEntryList: TableAnswer {
    var rows: [LedgerEntryInfo] { transactions }
}

extension LedgerEntryInfo: TableRow {
    static let headings = ["TRANSACTION", "PRODUCT", "PURCHASED", "EXPIRES", "PRICE", "REFUNDED"]
    var cells: [String?] {
        [
            transactionId, productId, purchaseDate.iso8601, expiresDate?.iso8601 ?? "-",
            price.map { Money(milliunits: $0, currency: currency ?? "").words } ?? "-",
            revocationDate?.iso8601 ?? "-",
        ]
    }
}
