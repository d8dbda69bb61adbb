import ArgumentParser
import TillJSON
import TillShop

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
        @Option(
            help: """
                UNINTENDED_PURCHASE (default), FULFILLMENT_ISSUE, UNSATISFIED_WITH_PURCHASE, LEGAL or OTHER.
                """
        )
        var reason: String?
        @OptionGroup var options: ActionOptions

        func run() async throws {
            try await options.perform([
                "reason": .text(reason)
            ]) { _ in
                "transactions/\(escaped(transaction))/refund/request"
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
            try await options.perform([
                "share": .string(unused ? "UNUSED" : percentage == nil ? "FULL" : "PART"),
                "percentage": .count(percentage.map { Int(($0 * 1_000).rounded()) }),
                "reason": .count(issueInApp ? 1 : 0),
            ]) { _ in
                "transactions/\(escaped(transaction))/refund"
            } saying: {
                let share = $0["revocationType"]?.text == "REFUND_FULL" ? nil : ActionSummary.share($0)
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
            try await options.perform { _ in
                "transactions/\(escaped(transaction))/refund/decline"
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
            let client = try server.client()
            let base = try await scope.path(client)
            var found: [JSONTree] = []
            if let customer {
                let answer = try await client.get("\(base)/customers/\(escaped(customer))/refund-requests")
                found = answer["refundRequests"]?.elements ?? []
            } else {
                var after = ""
                while true {
                    let page = try await client.get("\(base)/refund-requests\(after)")
                    found += page["refundRequests"]?.elements ?? []
                    guard let next = page["next"]?.text else { break }
                    after = "?after=\(escaped(next))"
                }
            }
            Output.show(.members(["refundRequests": .array(found)]), asJSON: server.json) { _ in
                found.isEmpty ? "No refund requests." : found.map(Self.line).joined(separator: "\n")
            }
        }

        private static func line(_ request: JSONTree) -> String {
            let decision = ActionSummary.date(request["decisionDate"]).map { "decided at \($0)" } ?? "you decide"
            return "\(request["transactionId"]?.text ?? "")  \(request["customer"]?.text ?? "")  "
                + "\(request["reason"]?.text ?? "")  \(decision)"
        }
    }

    private static func reverse(_ transaction: String, _ options: ActionOptions) async throws {
        try await options.perform { _ in
            "transactions/\(escaped(transaction))/refund/reverse"
        } saying: { _ in
            "The refund is reversed."
        }
    }
}
