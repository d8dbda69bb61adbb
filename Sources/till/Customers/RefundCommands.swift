import ArgumentParser
import TillControl
import TillCore

struct RefundCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Refunds transactions; requests, declines and reverses refunds.",
        name: "refund",
        examples: """
            # a full refund at once, without a request
            till refund 2000000000012345
            till refund 2000000000012345 --percentage 50
            till refund request 2000000000012345
            """,
        subcommands: [Grant.self, Request.self, Decline.self, Reverse.self, List.self],
        default: Grant.self
    )

    struct Request: SendingCommand {
        static let configuration = CommandConfiguration(
            "Requests a refund. The environment's refund rule decides, or you decide.",
            examples: "till refund request 2000000000012345"
        )

        @Argument(help: "The transaction id.")
        var transaction: String
        @Option(help: "The customer's reason for the request (default: UNINTENDED_PURCHASE).")
        var reason: ConsumptionRequestReason?
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> RequestRefund {
            RequestRefund(app: shop.app, transactionId: transaction, reason: reason, at: options.time)
        }

        func heading(_ answer: ActionInfo) -> String? { "The refund is requested." }
    }

    struct Grant: SendingCommand {
        static let configuration = CommandConfiguration(
            "Refunds a transaction, also without a refund request. The word grant is optional.",
            examples: """
                till refund grant 2000000000012345
                # only the unused part of a subscription's period
                till refund grant 2000000000012345 --unused
                """
        )

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
                at: options.time
            )
        }

        func heading(_ answer: ActionInfo) -> String? {
            let isFull = answer.transaction.revocationType == .refundFull
            let share = isFull ? nil : ActionSummary.share(answer.transaction)
            return share.map { "Refunded in part: \($0) of the price." } ?? "Refunded in full."
        }
    }

    struct Decline: SendingCommand {
        static let configuration = CommandConfiguration(
            "Declines a refund request.",
            examples: "till refund decline 2000000000012345"
        )

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> DeclineRefund {
            DeclineRefund(app: shop.app, transactionId: transaction, at: options.time)
        }

        func heading(_ answer: ActionInfo) -> String? { "The refund is declined." }
    }

    struct Reverse: SendingCommand {
        static let configuration = CommandConfiguration(
            "Reverses a refund after a dispute with the customer.",
            examples: "till refund reverse 2000000000012345"
        )

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> ReverseRefund {
            ReverseRefund(app: shop.app, transactionId: transaction, at: options.time)
        }

        func heading(_ answer: ActionInfo) -> String? { "The refund is reversed." }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            "Lists undecided refund requests.",
            examples: """
                till refund list
                till refund list ann
                """
        )

        @Argument(help: "A customer (default: all customers).")
        var customer: String?
        @OptionGroup var options: EnvironmentOptions

        func run() async throws {
            try options.server.show(try await requests(try await options.connect())) { list in
                Table.list(
                    ["TRANSACTION", "CUSTOMER", "REASON", "DECISION"],
                    list.refundRequests.map {
                        [$0.transactionId, $0.customer, $0.reason.rawValue, $0.decisionDate?.iso8601 ?? "you decide"]
                    },
                    empty: "No refund requests."
                )
            }
        }

        /// The requests of the customer, or of all customers on all pages.
        private func requests(_ shop: AppClient) async throws -> RefundRequestList {
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
    }
}
