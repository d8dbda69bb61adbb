import ArgumentParser
import Foundation
import TillControl
import TillJSON

struct FaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault",
        abstract: "Injects faults: errors, delays, closed connections and lost notifications.",
        discussion: """
            till fault add error --code 5000001 --route getTransactionInfo --limit 3
            till fault add latency --milliseconds 500 --spread 1500 --percent 20
            till fault add unauthorized --customer ann --for 600
            till fault add drop --route DID_RENEW --limit 1
            till fault list
            till fault remove f1
            till fault remove --all
            """,
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a fault rule.",
            discussion: """
                till fault add error --code 4290000 --retry-after 60
                till fault add rateLimit                          refuses calls beyond Apple's own limits
                till fault add staleReads --milliseconds 2000     hides new purchases for two seconds
                till fault add receiptStatus --code 21005 --route verifyReceipt

                drop, delay, duplicate and reorder are for notifications, the other kinds for requests.
                """
        )

        @Argument(help: "The kind of fault.")
        var kind: FaultKind
        @Option(help: "The error code, HTTP status, or status of verifyReceipt to return.")
        var code: Int?
        @Option(help: "Only on this route, such as getTransactionInfo. For notification faults: only for this type.")
        var route: String?
        @Option(help: "Only for this app.")
        var app: String?
        @Option(help: "Only in this environment.")
        var environment: StoreEnvironment?
        @Option(help: "Only for this customer.")
        var customer: String?
        @Option(help: "The percentage of matching calls that are affected (default 100).")
        var percent: Int?
        @Option(help: "The maximum number of affected calls (default: unlimited).")
        var limit: Int?
        @Option(name: .customLong("for"), help: "The seconds for which the rule applies (default: unlimited).")
        var seconds: Int?
        @Option(help: "The value of the Retry-After header of an error, in seconds.")
        var retryAfter: Int?
        @Option(help: "The length of the delay in milliseconds.")
        var milliseconds: Int?
        @Option(help: "The maximum of an additional random delay, in milliseconds.")
        var spread: Int?
        @Option(help: "The calls per hour that rateLimit allows (default: Apple's limit).")
        var perHour: Int?
        @Option(help: "The seed of the random numbers, to repeat a run.")
        var seed: Int64?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
            let rule = AddFault(
                kind: kind,
                environment: environment,
                bundleId: app,
                route: route,
                customer: customer,
                percent: percent,
                limit: limit,
                until: seconds.map { now.advanced(milliseconds: Int64($0) * 1_000) },
                code: code,
                retryAfter: retryAfter,
                milliseconds: milliseconds,
                spread: spread,
                perHour: perHour,
                seed: seed
            )
            try await server.show(answerTo: rule)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the fault rules, with the number of affected calls of each.",
            discussion: "till fault list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(answerTo: ListFaults()) { rules in
                let rules = try rules.map { try Output.lines(of: $0) }
                return rules.isEmpty ? "No fault rules." : rules.joined(separator: "\n\n")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes one fault rule, or all fault rules.",
            discussion: "till fault remove --all"
        )

        @Argument(help: "The id of the rule.")
        var id: String?
        @Flag(help: "Removes all fault rules.")
        var all = false
        @OptionGroup var server: ServerOptions

        func validate() throws {
            guard all != (id != nil) else { throw ValidationError("Give the id of a rule, or --all.") }
        }

        func run() async throws {
            let client = try server.client()
            if let id {
                _ = try await client.send(RemoveFault(faultId: id))
            } else {
                _ = try await client.send(RemoveFaults())
            }
            Output.show(.members(["removed": .string(id ?? "all")]), asJSON: server.json) { _ in
                id.map { "Removed \($0)." } ?? "Removed all fault rules."
            }
        }
    }
}
