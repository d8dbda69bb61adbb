import ArgumentParser
import TillControl
import TillCore

struct RefundCommand: DocumentedCommand {
    static let summary = "Refunds transactions; requests, declines and reverses refunds."
    static let examples = """
        # a full refund at once, without a request
        till refund 2000000000012345
        till refund 2000000000012345 --percentage 50
        till refund request 2000000000012345
        """
    static var subcommands: Subcommands { [Grant.self, Request.self, Decline.self, Reverse.self, List.self] }
    static var defaultSubcommand: (any ParsableCommand.Type)? { Grant.self }

    struct Request: SendingCommand {
        static let summary = "Requests a refund. The environment's refund rule decides, or you decide."
        static let examples = "till refund request 2000000000012345"

        @Argument(help: "The transaction id.")
        var transaction: String
        @Option(help: "The customer's reason for the request (default: UNINTENDED_PURCHASE).")
        var reason: ConsumptionRequestReason?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> RequestRefund {
            RequestRefund(app: shop.app, transactionId: transaction, reason: reason, at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "The refund is requested." }
    }

    struct Grant: SendingCommand {
        static let summary = "Refunds a transaction, also without a refund request. The word grant is optional."
        static let examples = """
            till refund grant 2000000000012345
            # only the unused part of a subscription's period
            till refund grant 2000000000012345 --unused
            """

        @Argument(help: "The transaction id.")
        var transaction: String
        @Option(help: "The percentage of the price, with up to three decimals (default: 100).")
        var percentage: Double?
        @Flag(help: "Refunds the unused part of a subscription's period.")
        var unused = false
        @Flag(help: "Gives an issue in the app as the reason (revocationReason 1).")
        var issueInApp = false
        @OptionGroup var options: ActionOptions

        func validate() throws {
            if let percentage, !(percentage > 0 && percentage < 100) {
                throw ValidationError("--percentage must be more than 0 and less than 100; omit it for a full refund.")
            }
            if percentage != nil, unused { throw ValidationError("Choose one of --percentage and --unused.") }
        }

        func request(_ shop: AppClient) -> RefundTransaction {
            RefundTransaction(
                app: shop.app,
                transactionId: transaction,
                share: unused ? .unused : percentage == nil ? .full : .part,
                percentage: percentage.map { Int(($0 * 1_000).rounded()) },
                reason: issueInApp ? .issueInApp : .other,
                at: options.at
            )
        }

        func heading(_ answer: ActionInfo) -> String? {
            let isFull = answer.transaction.revocationType == .refundFull
            let share = isFull ? nil : ActionSummary.share(answer.transaction)
            return share.map { "Refunded in part: \($0) of the price." } ?? "Refunded in full."
        }
    }

    struct Decline: SendingCommand {
        static let summary = "Declines a refund request."
        static let examples = "till refund decline 2000000000012345"

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> DeclineRefund {
            DeclineRefund(app: shop.app, transactionId: transaction, at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "The refund is declined." }
    }

    struct Reverse: SendingCommand {
        static let summary = "Reverses a refund after a dispute with the customer."
        static let examples = "till refund reverse 2000000000012345"

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> ReverseRefund {
            ReverseRefund(app: shop.app, transactionId: transaction, at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "The refund is reversed." }
    }

    struct List: AnsweringCommand {
        static let summary = "Lists undecided refund requests."
        static let examples = """
            till refund list
            till refund list ann
            """

        @Argument(help: "A customer (default: all customers).")
        var customer: String?
        @OptionGroup var options: EnvironmentOptions

        /// The requests of the customer, or of all customers on all pages.
        func answer(_ shop: AppClient) async throws -> RefundRequestList {
            if let customer {
                return try await shop.client.send(ListRefundRequests(app: shop.app, customer: customer))
            }
            var all = RefundRequestList(refundRequests: [])
            repeat {
                let page = try await shop.client.send(ListRefundRequests(app: shop.app, after: all.next))
                all.refundRequests += page.refundRequests
                if let damaged = page.damaged { all.damaged = (all.damaged ?? []) + damaged }
                all.next = page.next
            } while all.next != nil
            return all
        }

        func text(_ list: RefundRequestList) -> String { Table.list(list.refundRequests) }
    }
}

extension RefundRequestInfo: TableRow {
    static let headings = ["TRANSACTION", "CUSTOMER", "REASON", "DECISION"]
    static let empty = "No refund requests."
    var cells: [String?] { [transactionId, customer, reason.rawValue, decisionDate?.iso8601 ?? "you decide"] }
}
