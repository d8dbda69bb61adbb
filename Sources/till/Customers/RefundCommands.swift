import ArgumentParser
import TillControl

struct RefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Requests, grants, declines and reverses refunds.",
        discussion: """
            till refund 2000000000012345                    full refund at once, without a request
            till refund 2000000000012345 --percentage 50
            till refund 2000000000012345 --unused           only the unused part of a subscription's period
            till refund request 2000000000012345
            till refund decline 2000000000012345
            till refund reverse 2000000000012345
            """,
        subcommands: [Request.self, Grant.self, Decline.self, Reverse.self, List.self],
        defaultSubcommand: Grant.self
    )

    struct Request: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Requests a refund. The environment's refund rule decides, or you decide.",
            discussion: "till refund request 2000000000012345 --reason UNSATISFIED_WITH_PURCHASE"
        )

        @Argument(help: "The transaction id.")
        var transaction: String
        @Option(help: "The customer's reason for the request (default: UNINTENDED_PURCHASE).")
        var reason: ConsumptionRequestReason?
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                RequestRefund(app: $0.app, transactionId: transaction, reason: reason, at: options.time)
            } saying: { _ in
                "The refund is requested."
            }
        }
    }

    struct Grant: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refunds a transaction, also without a refund request. The word grant is optional.",
            discussion: """
                till refund grant 2000000000012345
                till refund 2000000000012345 --percentage 50
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
        @Flag(help: ArgumentHelp("Does the same as till refund reverse.", visibility: .hidden))
        var reverse = false
        @OptionGroup var options: ActionOptions

        func validate() throws {
            if let percentage, !(percentage > 0 && percentage < 100) {
                throw ValidationError("--percentage must be more than 0 and less than 100; omit it for a full refund.")
            }
            guard [percentage != nil, unused, reverse].filter({ $0 }).count <= 1 else {
                throw ValidationError("Choose one of --percentage, --unused and --reverse.")
            }
        }

        func run() async throws {
            if reverse { return try await RefundCommand.reverse(transaction, options) }
            try await options.perform {
                RefundTransaction(
                    app: $0.app,
                    transactionId: transaction,
                    share: unused ? .unused : percentage == nil ? .full : .part,
                    percentage: percentage.map { Int(($0 * 1_000).rounded()) },
                    reason: issueInApp ? .issueInApp : .other,
                    at: options.time
                )
            } saying: {
                let isFull = $0.transaction.revocationType == .refundFull
                let share = isFull ? nil : ActionSummary.share($0.transaction)
                return share.map { "Refunded in part: \($0) of the price." } ?? "Refunded in full."
            }
        }
    }

    struct Decline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Declines a refund request.",
            discussion: "till refund decline 2000000000012345"
        )

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform {
                DeclineRefund(app: $0.app, transactionId: transaction, at: options.time)
            } saying: { _ in
                "The refund is declined."
            }
        }
    }

    struct Reverse: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Reverses a refund after a dispute with the customer.",
            discussion: "till refund reverse 2000000000012345"
        )

        @Argument(help: "The transaction id.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func run() async throws { try await RefundCommand.reverse(transaction, options) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists undecided refund requests.",
            discussion: """
                till refund list
                till refund list ann
                """
        )

        @Argument(help: "A customer (default: all customers).")
        var customer: String?
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let list = try await requests(try await scope.connect(to: try server.client()))
            try server.show(list) { list in
                list.refundRequests.isEmpty
                    ? "No refund requests." : list.refundRequests.map(Self.line).joined(separator: "\n")
            }
        }

        /// The requests of the customer, or of all customers on all pages.
        private func requests(_ server: AppClient) async throws -> RefundRequestList {
            if let customer {
                return try await server.client.send(ListRefundRequests(app: server.app, customer: customer))
            }
            var all = RefundRequestList(refundRequests: [])
            repeat {
                let page = try await server.client.send(ListRefundRequests(app: server.app, after: all.next))
                all.refundRequests += page.refundRequests
                if let damaged = page.damaged { all.damaged = (all.damaged ?? []) + damaged }
                all.next = page.next
            } while all.next != nil
            return all
        }

        private static func line(_ request: RefundRequestInfo) -> String {
            let decision = request.decisionDate.map { "decided at \(ActionSummary.date($0))" } ?? "you decide"
            return "\(request.transactionId)  \(request.customer)  \(request.reason.rawValue)  \(decision)"
        }
    }

    private static func reverse(_ transaction: String, _ options: ActionOptions) async throws {
        try await options.perform {
            ReverseRefund(app: $0.app, transactionId: transaction, at: options.time)
        } saying: { _ in
            "The refund is reversed."
        }
    }
}
