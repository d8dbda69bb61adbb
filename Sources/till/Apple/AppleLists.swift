import AppStoreServer
import ArgumentParser
import Foundation
import TillCore
import TillJSON

extension AppleCommand {
    struct History: AppleAskingCommand {
        static let summary = "Prints every transaction of a customer, and the last revision."
        static let examples = """
            till apple history 700001234567890
            till apple history 700001234567890 --descending --revoked true
            # the answers, for till customer import
            till apple history 700001234567890 --json > history.json
            """

        @Argument(help: "Any transaction id or the app transaction id of the customer.")
        var transaction: String
        @Flag(help: "Prints the latest change first.")
        var descending = false
        @Option(help: "Only this product; may be repeated.")
        var productID: [String] = []
        @Option(help: "true for only revoked transactions, false for only others.")
        var revoked: Bool?
        @Option(help: "Continues after the page that had this revision.")
        var revision: String?
        @Flag(help: "Asks version 1, which leaves out finished consumables.")
        var v1 = false
        @OptionGroup var options: AppleOptions

        func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer] {
            let filter = TransactionFilter(
                productIds: productID,
                revoked: revoked,
                sort: descending ? .descending : nil
            )
            let version: AppStoreServerClient.HistoryVersion = v1 ? .v1 : .v2
            return try await client.transactions(of: transaction, filter: filter, from: revision, version: version)
                .answers
        }

        func text(_ pages: [JSONTree]) -> String {
            let revision = pages.last?["revision"]?.text ?? ""
            return [SignedAnswers.history(pages), "revision  \(revision)"].filter { !$0.isEmpty }
                .joined(separator: "\n")
        }
    }

    struct Refunds: AppleAskingCommand {
        static let summary = "Lists the refunded transactions of a customer."
        static let examples = "till apple refunds 700001234567890"

        @Argument(help: "Any transaction id or the app transaction id of the customer.")
        var transaction: String
        @OptionGroup var options: AppleOptions

        func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer] {
            try await client.refunds(of: transaction).answers
        }

        func text(_ pages: [JSONTree]) -> String {
            Table.list(SignedAnswers.transactions(in: pages).map { AppleRefundRow(payload: $0) })
        }
    }

    struct Notifications: AppleAskingCommand {
        static let summary = "Lists the notifications of the app, or of one customer, with their delivery."
        static let examples = """
            till apple notifications --environment sandbox --days 30
            till apple notifications --customer 700001234567890
            till apple notifications --only-failures --json
            """
        static let notes =
            "Without --until, it prints everything that the server has since --days days ago, also what is dated in "
            + "the future because a clock of Till was advanced. Apple keeps notifications for 180 days, in the sandbox "
            + "for 30. --environment automatic asks production. --json prints all notifications with their signatures."

        @Option(help: "Only those of the customer with this transaction id.")
        var customer: String?
        @Option(help: "Only this type, such as DID_RENEW or EXPIRED/VOLUNTARY.")
        var type: String?
        @Flag(help: "Only notifications that did not reach your server.")
        var onlyFailures = false
        @Option(help: "The number of days until the end, or until now.")
        var days: Int = 29
        @Option(help: "The end, such as 2026-03-01 (default: none).")
        var until: Timestamp?
        @OptionGroup var options: AppleOptions

        func validate() throws {
            guard (1...180).contains(days) else { throw ValidationError("--days is 1 to 180.") }
            guard customer == nil || type == nil else { throw ValidationError("Give --customer or --type, not both.") }
        }

        func answers(of client: AppStoreServerClient) async throws -> [AppleAnswer] {
            try await client.notifications(from: start, to: until, filter: filter).answers
        }

        private static let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970) * 1_000)

        private var start: Timestamp { (until ?? Self.now).advanced(milliseconds: -Int64(days) * 86_400_000) }

        private var filter: NotificationFilter {
            if let customer { return .transactionId(customer, onlyFailures: onlyFailures) }
            guard let type else { return onlyFailures ? .onlyFailures : .all }
            let parts = type.split(separator: "/", maxSplits: 1).map(String.init)
            let subtype = parts.count == 2 ? OpenValue<NotificationSubtype>(rawValue: parts[1]) : nil
            return .type(OpenValue(rawValue: parts.first ?? type), subtype, onlyFailures: onlyFailures)
        }

        func text(_ pages: [JSONTree]) -> String {
            let rows = pages.flatMap { $0["notificationHistory"]?.elements ?? [] }.map {
                AppleNotificationRow(item: $0)
            }
            let range = "Since \(start.iso8601)" + (until.map { ", before \($0.iso8601)" } ?? "")
            return "\(range)\n\(Table.list(rows))"
        }
    }
}

/// A refunded transaction in a list.
struct AppleRefundRow: TableRow {
    static let headings = ["TRANSACTION", "PRODUCT", "PURCHASED", "PRICE", "REFUNDED", "KIND"]
    static let empty = "No refunds."
    let payload: JSONTree
    var cells: [String?] {
        [
            payload.cell("transactionId"), payload.cell("productId"), payload.dateCell("purchaseDate"),
            payload.priceCell(), payload.dateCell("revocationDate"), payload.cell("revocationType"),
        ]
    }
}

/// A notification in a list.
struct AppleNotificationRow: TableRow {
    static let headings = ["SIGNED", "TYPE", "ORIGINAL TRANSACTION", "ATTEMPTS", "LAST RESULT"]
    static let empty = "No notifications."
    let item: JSONTree
    var cells: [String?] {
        let payload = SignedAnswers.payload(item, "signedPayload") ?? .null
        let data = payload["data"] ?? .null
        let about = SignedAnswers.payload(data, "signedTransactionInfo") ?? .null
        let attempts = item["sendAttempts"]?.elements ?? []
        let type = [payload["notificationType"]?.text ?? "?", payload["subtype"]?.text].compactMap(\.self)
        return [
            payload.dateCell("signedDate"), type.joined(separator: "/"), about.cell("originalTransactionId"),
            String(attempts.count), attempts.last?.cell("sendAttemptResult") ?? item.cell("firstSendAttemptResult"),
        ]
    }
}
