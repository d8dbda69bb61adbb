import ArgumentParser
import Foundation
import TillJSON
import TillShop

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

                Kinds: error, unauthorized, status, receiptStatus, latency, cut, half, staleReads, rateLimit; and for
                notifications: drop, delay, duplicate, reorder.
                """
        )

        @Argument(help: "The kind of fault.")
        var kind: String
        @Option(help: "The error code, HTTP status, or status of verifyReceipt to return.")
        var code: Int?
        @Option(help: "Only on this route, such as getTransactionInfo. For notification faults: only for this type.")
        var route: String?
        @Option(help: "Only for this app.")
        var app: String?
        @Option(name: .customLong("realm"), help: "Only in this environment: production or sandbox.")
        var environment: String?
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
        var seed: Int?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let end = seconds.map { Int(Date().timeIntervalSince1970 * 1_000) + $0 * 1_000 }
            try await server.showRaw {
                try await $0.post(
                    "/v1/faults",
                    .members([
                        "kind": .string(kind), "code": .count(code), "route": .text(route), "bundleId": .text(app),
                        "realm": .text(environment), "customer": .text(customer), "percent": .count(percent),
                        "limit": .count(limit), "until": .count(end), "retryAfter": .count(retryAfter),
                        "milliseconds": .count(milliseconds), "spread": .count(spread), "perHour": .count(perHour),
                        "seed": .count(seed),
                    ])
                )
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the fault rules, with the number of affected calls of each.",
            discussion: "till fault list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.showRaw {
                try await $0.get("/v1/faults")
            } as: { answer in
                let rules = (answer["faults"]?.elements ?? []).map { Output.lines($0) }
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
            try await server.rawClient().delete(id.map { "/v1/faults/\(escaped($0))" } ?? "/v1/faults")
            Output.show(.members(["removed": .string(id ?? "all")]), asJSON: server.json) { _ in
                id.map { "Removed \($0)." } ?? "Removed all fault rules."
            }
        }
    }
}
