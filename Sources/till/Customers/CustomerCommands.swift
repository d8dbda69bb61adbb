import ArgumentParser
import TillControl

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
        subcommands: [Create.self, Show.self, List.self, Clock.self, Erase.self, Offers.self]
    )

    struct Offers: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists the offers that a customer has used.",
            discussion: "till customer offers eva"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) { ListUsedOffers(app: $0.app, customer: customer) }
        }
    }

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
        var storefront: Storefront?
        @Flag(help: "The customer never downloaded the app, so there is no app transaction.")
        var withoutApp = false
        @Option(help: "The creation date, such as 2026-03-01, or milliseconds since 1970 (default: now).")
        var at: WrittenInstant?
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                CreateCustomer(
                    app: $0.app,
                    customer: customer,
                    storefront: storefront,
                    downloadsApp: withoutApp ? false : nil,
                    at: at?.instant
                )
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a customer, with the customer's subscriptions and owned products.",
            discussion: "till customer show eva --environment production"
        )

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) { GetCustomer(app: $0.app, customer: customer) }
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
            try await server.show(in: scope) {
                ListCustomers(app: $0.app, after: after, limit: limit)
            } as: { page in
                let lines = page.customers.map { customer in
                    let things = customer.transactions == 1 ? "transaction" : "transactions"
                    return "\(customer.appTransactionId)  \(customer.storefront.code)  "
                        + "\(customer.transactions) \(things)  \(customer.customer)"
                }
                let more = page.next.map { "\nMore: till customer list --after \($0)" } ?? ""
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
            try await server.show(in: scope) {
                CreateFamily(app: $0.app, name: name, organizer: organizer, members: members)
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
            try await server.show(in: scope) { GetFamily(app: $0.app, customer: customer) }
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
            try await server.show(in: scope) { JoinFamily(app: $0.app, customer: with, member: customer) }
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
            try await server.show(in: scope) {
                LeaveFamily(app: $0.app, customer: customer)
            } as: {
                ActionSummary.text("\(customer) left the family.", $0, state: [("customer", customer)])
            }
        }
    }
}
