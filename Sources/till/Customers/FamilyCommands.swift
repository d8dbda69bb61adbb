import ArgumentParser
import TillControl

struct FamilyCommand: DocumentedCommand {
    static let summary = "Creates, lists, shows and deletes families, and adds and removes members."
    static var subcommands: Subcommands {
        [Create.self, List.self, Show.self, Delete.self, Join.self, Leave.self, Share.self, Unshare.self]
    }

    struct Create: SendingCommand {
        static let summary = "Creates a family of two to six customers."
        static let examples = "till family create ann bob carla --name millers"

        @Argument(help: "The customer who organizes the family.")
        var organizer: String
        @Argument(help: "One to five other members.")
        var members: [String]
        @Option(help: "The family's name.")
        var name: String?
        @Option(help: "The clock of new customers: a clock's name, or new:2026-01-01 for a new clock.")
        var clock: ClockOfNewCustomer?
        @OptionGroup var options: SettlingOptions

        func request(_ shop: AppClient) -> CreateFamily {
            CreateFamily(
                app: shop.app,
                name: name,
                organizer: organizer,
                members: members,
                clock: clock?.name,
                newClock: clock?.start
            )
        }

        func heading(_ answer: FamilyChange) -> String? { "The family \(answer.family.name) is created." }
    }

    struct List: AnsweringCommand {
        static let summary = "Lists the families."
        static let examples = "till family list"

        @OptionGroup var options: EnvironmentOptions

        /// The families of all customers on all pages.
        func answer(_ shop: AppClient) async throws -> [FamilyInfo] {
            var families: [FamilyInfo] = []
            var found: Set<String> = []
            var next: String?
            repeat {
                let page = try await shop.client.send(ListCustomers(app: shop.app, after: next, limit: 100))
                for customer in page.customers where customer.family != nil && !found.contains(customer.customer) {
                    let family = try await shop.client.send(GetFamily(app: shop.app, customer: customer.customer))
                    families.append(family)
                    found.formUnion(family.members)
                }
                next = page.next
            } while next != nil
            return families
        }
    }

    struct Show: SendingCommand {
        static let summary = "Shows the family of a customer."
        static let examples = "till family show ann"

        @OptionGroup var options: CustomerOptions

        func request(_ shop: AppClient) -> GetFamily { GetFamily(app: shop.app, customer: options.customer) }
    }

    struct Delete: SendingCommand, DestructiveCommand {
        static let summary = "Deletes the family of a customer. The members stay, and lose what was shared with them."
        static let examples = "till family delete ann --yes"

        @Argument(help: "The name of any member.")
        var customer: String
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: SettlingOptions

        /// A family ends when its organizer leaves.
        func request(_ shop: AppClient) async throws -> LeaveFamily {
            let family = try await shop.client.send(GetFamily(app: shop.app, customer: customer))
            return LeaveFamily(app: shop.app, customer: family.organizer)
        }

        func loss(_ shop: AppClient) async throws -> String {
            let family = try await shop.client.send(GetFamily(app: shop.app, customer: customer))
            return "Delete the family of \(family.members.joined(separator: ", "))"
        }

        func text(_ answer: CustomerChange) -> String {
            ActionSummary.text("The family of \(customer) is deleted.", answer, state: [])
        }
    }

    struct Join: SendingCommand {
        static let summary = "Adds a customer to the family of another customer."
        static let examples = """
            till family join dora --with ann
            till family join yan --with zoe --link
            """
        static let notes =
            "--link is for imported customers: an imported copy of a purchase becomes a copy of the purchase of "
            + "another imported member, and follows it from then on."

        @Argument(help: "The customer who joins.")
        var customer: String
        @Option(help: "A member of the family.")
        var with: String
        @Flag(help: "Links imported copies to the purchases of the family.")
        var link = false
        @OptionGroup var options: SettlingOptions

        func request(_ shop: AppClient) -> JoinFamily {
            JoinFamily(app: shop.app, customer: with, member: customer, linkCopies: link ? true : nil)
        }

        func heading(_ answer: FamilyChange) -> String? {
            let linked = answer.events.count { $0 == .familyCopyLinked }
            return "\(customer) joined the family \(answer.family.name)." + (link ? " Linked copies: \(linked)." : "")
        }
    }

    struct Leave: SendingCommand {
        static let summary = "Removes a customer from the family. When the organizer leaves, the family ends."
        static let examples = "till family leave dora"

        @Argument(help: "The customer who leaves.")
        var customer: String
        @OptionGroup var options: SettlingOptions

        func request(_ shop: AppClient) -> LeaveFamily { LeaveFamily(app: shop.app, customer: customer) }

        func text(_ answer: CustomerChange) -> String {
            // A family of one member ends, and so does a family without its organizer.
            let ended = answer.events.count { $0 == .leftFamily } > 1 ? " The family ended." : ""
            return ActionSummary.text("\(customer) left the family.\(ended)", answer, state: [("customer", customer)])
        }
    }

    struct Share: SendingCommand {
        static let summary = "Shares one purchase with the customer's family again."
        static let examples = "till family share 2000000000012345"

        @Argument(help: "The original transaction id of the purchase.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> SetSharing {
            SetSharing(app: shop.app, transactionId: transaction, shared: true, at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "The purchase is shared with the family." }
    }

    struct Unshare: SendingCommand {
        static let summary = "Stops sharing one purchase with the customer's family."
        static let examples = "till family unshare 2000000000012345"

        @Argument(help: "The original transaction id of the purchase.")
        var transaction: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> SetSharing {
            SetSharing(app: shop.app, transactionId: transaction, shared: false, at: options.at)
        }

        func heading(_ answer: ActionInfo) -> String? { "The purchase is no longer shared with the family." }
    }
}

extension FamilyInfo: TableRow {
    static let headings = ["FAMILY", "ORGANIZER", "MEMBERS"]
    static let empty = "No families. Create one: till family create ORGANIZER MEMBER"
    var cells: [String?] { [name, organizer, members.joined(separator: ", ")] }
}
