import ArgumentParser
import Foundation
import TillCore
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
            abstract: "Creates a customer; one who exists stays as they are.",
            discussion: """
                till customer create eva --storefront DEU
                till customer create vera --at 2026-01-31          may live on a clock of that day or later
                """
        )

        @Argument(help: "The customer's name in this store.")
        var customer: String
        @Option(help: "Where the customer shops, three capital letters (default USA).")
        var storefront: String?
        @Flag(help: "The customer never downloaded the app and so has no app transaction.")
        var withoutApp = false
        @Option(help: "When, such as 2026-03-01, or milliseconds since 1970 (default now).")
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
            abstract: "Shows a customer and what they have.",
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
            abstract: "Lists customers, a page at a time.",
            discussion: "till customer list --limit 20"
        )

        @Option(help: "The appTransactionId after which the page begins.")
        var after: String?
        @Option(help: "At most so many, 1 to 100.")
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
        abstract: "Makes families and lets customers join and leave.",
        discussion: """
            till family create ann bob carla          ann leads it
            till family leave bob
            till family unshare 2000000000012345      one purchase
            """,
        subcommands: [Create.self, Show.self, Join.self, Leave.self, Share.self, Unshare.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a family of two to six.",
            discussion: "till family create ann bob carla --name millers"
        )

        @Argument(help: "The customer who leads it.")
        var organizer: String
        @Argument(help: "The others, one to five.")
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
            abstract: "Lets a customer join the family of another.",
            discussion: "till family join dora --with ann"
        )

        @Argument(help: "Who joins.")
        var customer: String
        @Option(help: "Whose family.")
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
            abstract: "Lets a customer leave; when the one who leads it leaves, the family ends.",
            discussion: "till family leave dora"
        )

        @Argument(help: "Who leaves.")
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
