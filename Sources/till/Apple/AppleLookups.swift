import AppStoreServer
import ArgumentParser
import TillJSON

extension AppleCommand {
    struct Status: AppleAskingCommand {
        static let summary = "Lists the subscriptions of a customer with their statuses."
        static let examples = """
            till apple status 700001234567890
            till apple status 700001234567890 --json > status.json
            """

        @Argument(help: "Any transaction id or the app transaction id of the customer.")
        var transaction: String
        @OptionGroup var options: AppleOptions

        func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer] {
            [AppleAnswer(try await client.subscriptionStatuses(of: transaction))]
        }

        func text(_ answers: [JSONTree]) -> String {
            let groups = answers.flatMap { $0["data"]?.elements ?? [] }
            return Table.list(
                groups.flatMap { $0["lastTransactions"]?.elements ?? [] }.map { AppleStatusRow(item: $0) }
            )
        }
    }

    struct Transaction: AppleAskingCommand {
        static let summary = "Prints one transaction."
        static let examples = "till apple transaction 700001234567890"

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: AppleOptions

        func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer] {
            [AppleAnswer(try await client.transactionInfo(transaction))]
        }

        func text(_ answers: [JSONTree]) -> String {
            SignedAnswers.lines(answers, "signedTransactionInfo")
        }
    }

    struct AppTransaction: AppleAskingCommand {
        static let word: String? = "app-transaction"
        static let summary = "Prints the customer's download of the app."
        static let examples = "till apple app-transaction 700001234567890"

        @Argument(help: "Any transaction id or the app transaction id of the customer.")
        var transaction: String
        @OptionGroup var options: AppleOptions

        func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer] {
            [AppleAnswer(try await client.appTransactionInfo(of: transaction))]
        }

        func text(_ answers: [JSONTree]) -> String {
            SignedAnswers.lines(answers, "signedAppTransactionInfo")
        }
    }

    struct Order: AppleAskingCommand {
        static let summary = "Lists the transactions of an order."
        static let examples = "till apple order MK5TTTVWJH"
        static let notes = "The customer finds the order id in the email receipt. Apple has orders only in production."

        @Argument(help: "The order id.")
        var order: String
        @OptionGroup var options: AppleOptions

        func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer] {
            [AppleAnswer(try await client.lookUpOrder(order))]
        }

        func text(_ answers: [JSONTree]) -> String {
            guard answers.first?["status"]?.number == 0 else {
                return "No order \(order) with purchases of the app. Check the order id, and the app (--bundle)."
            }
            return Table.list(SignedAnswers.transactions(in: answers).map { AppleTransactionRow(payload: $0) })
        }
    }
}

/// A transaction in a list.
struct AppleTransactionRow: TableRow {
    static let headings = ["TRANSACTION", "PRODUCT", "PURCHASED", "EXPIRES", "PRICE", "REFUNDED"]
    static let empty = "No transactions."
    let payload: JSONTree
    var cells: [String?] {
        [
            payload.cell("transactionId"), payload.cell("productId"), payload.dateCell("purchaseDate"),
            payload.dateCell("expiresDate"), payload.priceCell(), payload.dateCell("revocationDate"),
        ]
    }
}

/// A subscription in a list.
struct AppleStatusRow: TableRow {
    static let headings = ["ORIGINAL TRANSACTION", "PRODUCT", "STATUS", "EXPIRES", "NEXT RENEWAL"]
    static let empty = "No subscriptions."
    let item: JSONTree
    var cells: [String?] {
        let transaction = SignedAnswers.payload(item, "signedTransactionInfo") ?? .null
        let renewal = SignedAnswers.payload(item, "signedRenewalInfo") ?? .null
        return [
            item.cell("originalTransactionId"), transaction.cell("productId"), status,
            transaction.dateCell("expiresDate"), next(renewal),
        ]
    }

    private var status: String {
        switch item["status"]?.number.map({ OpenValue<SubscriptionStatus>(rawValue: Int($0)) }) {
        case .known(.active): "active"
        case .known(.expired): "expired"
        case .known(.billingRetry): "billing retry"
        case .known(.gracePeriod): "grace period"
        case .known(.revoked): "revoked"
        case .unknown(let number): "\(number)"
        case nil: "-"
        }
    }

    private func next(_ renewal: JSONTree) -> String {
        guard renewal["autoRenewStatus"]?.number == 1 else { return "off" }
        return "\(renewal.cell("autoRenewProductId")), \(renewal.priceCell("renewalPrice"))"
    }
}
