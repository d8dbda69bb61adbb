import ArgumentParser
import TillControl
import TillCore

struct SearchCommand: SendingCommand {
    static let summary = "Finds customers, transactions, orders, tokens, notifications and requests in all apps."
    static let examples = """
        # a name, or its beginning
        till search ann
        till search 2000000000012345
        till search 7e3fb204-2a1b-4f0f-8d6f-9f5a1c2d3e4f --environment production
        """
    static let notes =
        "Finds customers by name, beginning of a name, app transaction id or app account token; transactions by "
        + "transaction id or order id; notifications by UUID; logged requests by request id."

    @Argument(help: "The text to search for.")
    var value: String
    @Option(help: "Only this app.")
    var app: String?
    @Option(help: "Only this environment.")
    var environment: StoreEnvironment?
    @Option(help: "The value of next from the previous page.")
    var after: String?
    @Option(help: "The maximum number of results, 1 to 100 (default 50).")
    var limit: Int?
    @OptionGroup var options: ServerOptions

    func request(_ client: ControlClient) -> Search {
        Search(value: value, bundleId: app, environment: environment, after: after, limit: limit)
    }
}

extension SearchResults: TableAnswer {
    var rows: [SearchMatch] { matches }
}

extension SearchMatch: TableRow {
    static let headings = ["FOUND", "ID", "CUSTOMER", "APP", "ENVIRONMENT", "DETAILS", "DATE"]
    static let empty =
        "Nothing found. Search for a customer's name or its beginning, an app transaction id, a transaction id, an "
        + "order id, an app account token, a notification UUID or a request id."
    var cells: [String?] {
        [
            kind.rawValue, transactionId ?? notificationUUID ?? requestId, customer, bundleId, environment.rawValue,
            productId ?? notificationType, date?.iso8601,
        ]
    }
}
