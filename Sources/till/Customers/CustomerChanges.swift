import ArgumentParser
import TillControl

extension CustomerCommand {
    struct Update: SendingCommand {
        static let configuration = CommandConfiguration(
            "Changes a customer's clock, or whether a parent must approve purchases (Ask to Buy).",
            examples: """
                till customer update ann --clock trial
                # the clock of the app's environment
                till customer update ann --no-clock
                till customer update kim --ask-to-buy on
                """,
            notes: "The clock is also that of the customer's family. On a clock that is behind the customer's last "
                + "event, purchases are dated at that event until the clock passes it. To decline the card, use till "
                + "card decline."
        )

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
            UpdateCustomer(
                app: shop.app,
                customer: customer,
                asksToBuy: askToBuy.map { $0 == .on },
                clock: noClock ? "" : clock,
                at: options.time
            )
        }

        func heading(_ answer: CustomerChange) -> String? {
            let clock = noClock ? "the clock of the environment" : clock.map { "the clock \($0)" }
            return [
                clock.map { "\(customer) uses \($0)." },
                askToBuy.map {
                    $0 == .on
                        ? "A parent must approve purchases by \(customer)."
                        : "Purchases by \(customer) need no approval."
                },
            ].compactMap(\.self).joined(separator: " ")
        }
    }

    struct Delete: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Permanently deletes a customer and all data about the customer in one app and environment.",
            examples: """
                # only counts
                till customer delete eva --dry-run
                till customer delete eva --yes
                # also deletes snapshots that contain eva
                till customer delete eva --remove-snapshots --yes
                """,
            notes: "The customer's family loses the shared purchases, as when a member leaves. The name can be used "
                + "again. Existing backups and exported states still contain the customer."
        )

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

        func run() async throws {
            if !dryRun { try await confirmation.confirm { try await loss(try await options.connect()) } }
            try await send()
        }

        func heading(_ answer: ErasureInfo) -> String? {
            let hint =
                answer.snapshots.isEmpty
                ? ""
                : "\nSnapshots still contain \(customer): \(answer.snapshots.joined(separator: ", ")). "
                    + "Delete them with --remove-snapshots, or with till snapshot delete."
            return (dryRun ? "Nothing was changed." : "\(customer) is deleted.") + hint
        }
    }
}
