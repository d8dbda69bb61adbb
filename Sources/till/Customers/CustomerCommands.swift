import ArgumentParser
import Foundation
import TillCore
import TillJSON
import TillShop

struct CustomerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer",
        abstract: "Creates, shows, lists and erases customers.",
        discussion: """
            till customer create eva --storefront DEU
            till customer show eva
            till customer list
            till customer erase eva --dry-run
            """,
        subcommands: [Create.self, Show.self, List.self, Clock.self, Erase.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a customer. If the customer exists, nothing changes.",
            discussion: """
                till customer create eva --storefront DEU
                till customer create vera --at 2026-01-31          can be on a clock that shows this date or later
                """
        )

        @Argument(help: "The customer's name in Till.")
        var customer: String
        @Option(help: "The customer's storefront, three capital letters (default USA).")
        var storefront: String?
        @Flag(help: "The customer never downloaded the app, so there is no app transaction.")
        var withoutApp = false
        @Option(help: "The creation date, such as 2026-03-01, or milliseconds since 1970 (default: now).")
        var at: WrittenInstant?
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show { client in
                try await client.post(
                    "\(try await scope.path(client))/customers",
                    .members([
                        "customer": .string(customer), "storefront": .text(storefront),
                        "downloadsApp": withoutApp ? .bool(false) : nil,
                        "at": at.map { .number(String($0.instant.milliseconds)) },
                    ])
                )
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a customer, with the customer's subscriptions and owned products.",
            discussion: "till customer show eva --realm production"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show { client in
                try await client.get("\(try await scope.path(client))/customers/\(escaped(customer))")
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists customers in pages.",
            discussion: "till customer list --limit 20"
        )

        @Option(help: "Shows the page after this appTransactionId.")
        var after: String?
        @Option(help: "Maximum number of results, 1 to 100.")
        var limit: Int = 50
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
            let start = after.map { "&after=\(escaped($0))" } ?? ""
            let page = try await client.get("\(try await scope.path(client))/customers?limit=\(limit)\(start)")
            Output.show(page, asJSON: server.json) { page in
                let lines = (page["customers"]?.elements ?? []).map { customer in
                    let count = customer["transactions"]?.text ?? "0"
                    let things = count == "1" ? "transaction" : "transactions"
                    return "\(customer["appTransactionId"]?.text ?? "")  \(customer["storefront"]?.text ?? "")  "
                        + "\(count) \(things)  \(customer["customer"]?.text ?? "")"
                }
                let more = page["next"]?.text.map { "\nMore: till customer list --after \($0)" } ?? ""
                return lines.joined(separator: "\n") + more
            }
        }
    }
}

struct FamilyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "family",
        abstract: "Creates families, and adds and removes members.",
        discussion: """
            till family create ann bob carla          ann is the organizer
            till family leave bob
            till family unshare 2000000000012345      stops sharing one purchase
            """,
        subcommands: [Create.self, Show.self, Join.self, Leave.self, Share.self, Unshare.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a family of two to six customers.",
            discussion: "till family create ann bob carla --name millers"
        )

        @Argument(help: "The customer who organizes the family.")
        var organizer: String
        @Argument(help: "One to five other members.")
        var members: [String]
        @Option(help: "The family's name.")
        var name: String?
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show { client in
                try await client.post(
                    "\(try await scope.path(client))/families",
                    .members([
                        "organizer": .string(organizer), "members": .array(members.map { .string($0) }),
                        "name": .text(name),
                    ])
                )
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows the family of a customer.",
            discussion: "till family show ann"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show { client in
                try await client.get("\(try await scope.path(client))/customers/\(escaped(customer))/family")
            }
        }
    }

    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Adds a customer to the family of another customer.",
            discussion: "till family join dora --with ann"
        )

        @Argument(help: "The customer who joins.")
        var customer: String
        @Option(help: "A member of the family.")
        var with: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show { client in
                try await client.post(
                    "\(try await scope.path(client))/customers/\(escaped(with))/family/members",
                    .members(["customer": .string(customer)])
                )
            }
        }
    }

    struct Leave: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a customer from the family. When the organizer leaves, the family ends.",
            discussion: "till family leave dora"
        )

        @Argument(help: "The customer who leaves.")
        var customer: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            let client = try server.client()
            try await client.delete("\(try await scope.path(client))/customers/\(escaped(customer))/family")
            Output.show(.members(["left": .string(customer)]), asJSON: server.json) { _ in
                "\(customer) left the family."
            }
        }
    }
}
