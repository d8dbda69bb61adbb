import ArgumentParser
import TillControl
import TillCore

struct CustomerCommand: DocumentedCommand {
    static let summary = "Creates, lists, shows, updates and deletes customers."
    static var subcommands: Subcommands {
        [Create.self, List.self, Show.self, Update.self, Delete.self, Offers.self, Import.self]
    }

    struct Create: SendingCommand {
        static let summary = "Creates a customer. If the customer exists, nothing changes."
        static let examples = """
            till customer create eva --storefront DEU
            # on a new clock that begins at this date
            till customer create vera --clock new:2026-01-31
            """

        @Argument(help: "The customer's name in Till.")
        var customer: String
        @Option(help: "The customer's storefront, three capital letters (default: USA).")
        var storefront: Storefront?
        @Flag(help: "The customer never downloaded the app, so there is no app transaction.")
        var withoutApp = false
        @Option(help: "The customer's clock: a clock's name, or new:2026-01-01 for a new clock.")
        var clock: ClockOfNewCustomer?
        @Option(help: "The time at which the customer downloads the app (default: now).")
        var at: Timestamp?
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> CreateCustomer {
            CreateCustomer(
                app: shop.app,
                customer: customer,
                storefront: storefront,
                downloadsApp: withoutApp ? false : nil,
                clock: clock?.name,
                newClock: clock?.start,
                at: at
            )
        }

        func heading(_ answer: CustomerInfo) -> String? {
            let clock = answer.clock.map { "the clock \($0)" } ?? "the environment's clock"
            return answer.created == true
                ? "Created the customer \(customer), on \(clock)."
                : "The customer \(customer) exists already, on \(clock). Nothing was changed."
        }
    }

    struct List: SendingCommand {
        static let summary = "Lists customers in pages."
        static let examples = "till customer list --limit 20"

        @Option(help: "Shows the page after this appTransactionId.")
        var after: String?
        @Option(help: "Maximum number of results, 1 to 100.")
        var limit: Int = 50
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListCustomers { ListCustomers(app: shop.app, after: after, limit: limit) }
    }

    struct Show: SendingCommand {
        static let summary = "Shows a customer, with the customer's subscriptions and owned products."
        static let examples = "till customer show eva --environment production"

        @OptionGroup var options: CustomerOptions

        func request(_ shop: AppClient) -> GetCustomer { GetCustomer(app: shop.app, customer: options.customer) }
    }

    struct Update: SendingCommand {
        static let summary = "Changes a customer's clock, or whether a parent must approve purchases (Ask to Buy)."
        static let examples = """
            till customer update ann --clock trial
            # the clock of the app's environment
            till customer update ann --no-clock
            till customer update kim --ask-to-buy on
            """
        static let notes =
            "The clock is also that of the customer's family. On a clock that is behind the customer's last "
            + "event, purchases are dated at that event until the clock passes it. To decline the card, use till "
            + "card decline."

        enum Switch: String, ExpressibleByArgument, CaseIterable {
            case on
            case off
        }

        @Argument(help: "The customer's name.")
        var customer: String
        @Option(help: "The name of a customer clock.")
        var clock: String?
        @Flag(help: "Assigns the clock of the app's environment.")
        var noClock = false
        @Option(help: "Whether a parent must approve each purchase: on or off.")
        var askToBuy: Switch?
        @OptionGroup var options: ActionOptions

        func validate() throws {
            guard clock == nil || !noClock, clock != nil || noClock || askToBuy != nil else {
                throw ValidationError("Give --clock, --no-clock or --ask-to-buy; not both of the first two.")
            }
        }

        func request(_ shop: AppClient) -> UpdateCustomer {
            let asksToBuy = askToBuy.map { $0 == .on }
            let clock = noClock ? "" : clock
            return UpdateCustomer(app: shop.app, customer: customer, asksToBuy: asksToBuy, clock: clock, at: options.at)
        }

        func heading(_ answer: CustomerChange) -> String? {
            let clock = noClock ? "the clock of the environment" : clock.map { "the clock \($0)" }
            let approval =
                switch askToBuy {
                case .on?: "A parent must approve purchases by \(customer)."
                case .off?: "Purchases by \(customer) need no approval."
                case nil: String?.none
                }
            return [clock.map { "\(customer) uses \($0)." }, approval].compactMap(\.self).joined(separator: " ")
        }
    }

    struct Delete: SendingCommand, DestructiveCommand {
        static let summary =
            "Permanently deletes a customer and all data about the customer in one app and environment."
        static let examples = """
            # only counts
            till customer delete eva --dry-run
            till customer delete eva --yes
            # also deletes snapshots that contain eva
            till customer delete eva --remove-snapshots --yes
            """
        static let notes =
            "The customer's family loses the shared purchases, as when a member leaves. The name can be used "
            + "again. Existing backups and exported states still contain the customer."

        @Argument(help: "The customer's name.")
        var customer: String
        @Flag(help: "Only counts what would be deleted.")
        var dryRun = false
        @Flag(help: "Also deletes snapshots that contain the customer.")
        var removeSnapshots = false
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: SettlingOptions

        var timeout: Duration { .seconds(600) }

        func request(_ shop: AppClient) -> EraseCustomer {
            EraseCustomer(app: shop.app, customer: customer, dryRun: dryRun, removeSnapshots: removeSnapshots)
        }

        func loss(_ shop: AppClient) async throws -> String {
            let count = try await shop.client.send(EraseCustomer(app: shop.app, customer: customer, dryRun: true))
            return "Delete \(customer) with \(count.transactions) transactions and \(count.notificationsErased) "
                + "notifications in \(shop.app.bundleId), \(shop.app.environment.rawValue)"
        }

        func heading(_ answer: ErasureInfo) -> String? {
            let done = dryRun ? "Nothing was changed." : "\(customer) is deleted."
            guard !answer.snapshots.isEmpty else { return done }
            return "\(done)\nSnapshots still contain \(customer): \(answer.snapshots.joined(separator: ", ")). "
                + "Delete them with --remove-snapshots, or with till snapshot delete."
        }
    }

    struct Offers: SendingCommand {
        static let summary = "Lists the offers that a customer has used."
        static let examples = "till customer offers eva"

        @OptionGroup var options: CustomerOptions

        func request(_ shop: AppClient) -> ListUsedOffers { ListUsedOffers(app: shop.app, customer: options.customer) }

        func text(_ offers: [UsedOfferInfo]) -> String {
            Table.list(offers, empty: "\(options.customer) has used no offers.")
        }
    }
}

/// The options of a command that shows a customer.
struct CustomerOptions: EnvironmentConnecting {
    @Argument(help: "The customer's name.")
    var customer: String
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions
}

extension CustomerList: TableAnswer {
    var rows: [CustomerInfo] { customers }
}

extension CustomerInfo: TableRow {
    static let headings = ["CUSTOMER", "STOREFRONT", "TRANSACTIONS", "SUBSCRIPTIONS", "CLOCK", "APP TRANSACTION ID"]
    static let empty = "No customers. Create one: till customer create NAME"
    var cells: [String?] {
        [customer, storefront.code, "\(transactions)", "\(subscriptions.count)", clock ?? "-", appTransactionId]
    }
}

extension UsedOfferInfo: TableRow {
    static let headings = ["OFFER TYPE", "OFFER", "PRODUCT", "LAST USE", "TRANSACTIONS"]
    var cells: [String?] {
        ["\(offerType.rawValue)", offerIdentifier ?? "-", productId, lastUseDate.iso8601, "\(transactions)"]
    }
}

struct CardCommand: DocumentedCommand {
    static let summary = "Declines a customer's card, or accepts the card again."
    static var subcommands: Subcommands { [Decline.self, Accept.self] }

    struct Decline: SendingCommand {
        static let summary = "Declines the card for renewals from now on."
        static let examples = """
            till card decline ann
            # purchases too
            till card decline ann --purchases
            """

        @Argument(help: "The customer's name.")
        var customer: String
        @Flag(help: "Also declines new purchases.")
        var purchases = false
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> UpdateCustomer {
            let card: Card = purchases ? .declined : .declinedForRenewals
            return UpdateCustomer(app: shop.app, customer: customer, card: card, at: options.at)
        }

        func heading(_ answer: CustomerChange) -> String? {
            purchases ? "The card is declined." : "The card is declined for renewals."
        }
    }

    struct Accept: SendingCommand {
        static let summary = "Accepts the card again. Failed payments are charged at once."
        static let examples = "till card accept ann"

        @Argument(help: "The customer's name.")
        var customer: String
        @OptionGroup var options: ActionOptions

        func request(_ shop: AppClient) -> UpdateCustomer {
            UpdateCustomer(app: shop.app, customer: customer, card: .accepted, at: options.at)
        }

        func heading(_ answer: CustomerChange) -> String? { "The card is accepted." }
    }
}
