import ArgumentParser
import Foundation
import TillShop

struct FaultCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault",
        abstract: "Lets things go wrong on demand: errors, delays, cut connections, lost notifications.",
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
            abstract: "Adds a rule.",
            discussion: """
                till fault add error --code 4290000 --retry-after 60
                till fault add rateLimit                          past Apple's own limits
                till fault add staleReads --milliseconds 2000     what was just bought is not found yet
                till fault add receiptStatus --code 21005 --route verifyReceipt

                Kinds: error, unauthorized, status, receiptStatus, latency, cut, half, staleReads, rateLimit; and of
                notifications drop, delay, duplicate, reorder.
                """
        )

        @Argument(help: "What goes wrong.")
        var kind: String
        @Option(help: "An error code, an HTTP status, or a status of verifyReceipt.")
        var code: Int?
        @Option(help: "Only on this route, such as getTransactionInfo; of notifications a type.")
        var route: String?
        @Option(help: "Only of this app.")
        var app: String?
        @Option(name: .customLong("realm"), help: "Only in this environment: production or sandbox.")
        var environment: String?
        @Option(help: "Only of this customer.")
        var customer: String?
        @Option(help: "Of how many calls that it could strike (default 100).")
        var percent: Int?
        @Option(help: "How often at the most.")
        var limit: Int?
        @Option(name: .customLong("for"), help: "For so many seconds from now.")
        var seconds: Int?
        @Option(help: "Seconds for the Retry-After of an error.")
        var retryAfter: Int?
        @Option(help: "How long it holds something up.")
        var milliseconds: Int?
        @Option(help: "Up to so many milliseconds more, by chance.")
        var spread: Int?
        @Option(help: "Calls that a rate limit lets pass in an hour (default Apple's).")
        var perHour: Int?
        @Option(help: "From which chance is drawn, to repeat a run.")
        var seed: Int?
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let end = seconds.map { Int(Date().timeIntervalSince1970 * 1_000) + $0 * 1_000 }
            try await server.show {
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
            abstract: "Lists the rules, and how often each struck.",
            discussion: "till fault list"
        )

        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show {
                try await $0.get("/v1/faults")
            } as: { answer in
                let rules = (answer["faults"]?.elements ?? []).map { Output.lines($0) }
                return rules.isEmpty ? "Nothing goes wrong on purpose." : rules.joined(separator: "\n\n")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a rule, or all of them.",
            discussion: "till fault remove --all"
        )

        @Argument(help: "The rule.")
        var id: String?
        @Flag(help: "All rules.")
        var all = false
        @OptionGroup var server: ServerOptions

        func validate() throws {
            guard all != (id != nil) else { throw ValidationError("Name a rule, or give --all.") }
        }

        func run() async throws {
            try await server.client().delete(id.map { "/v1/faults/\(escaped($0))" } ?? "/v1/faults")
            Output.show(.members(["removed": .string(id ?? "all")]), asJSON: server.json) { _ in
                id.map { "\($0) is removed." } ?? "Nothing goes wrong on purpose any more."
            }
        }
    }
}
