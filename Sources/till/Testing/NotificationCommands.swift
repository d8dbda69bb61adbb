import ArgumentParser
import TillControl
import TillCore

struct NotificationCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        "Lists, shows, sends, resends and deletes notifications.",
        name: "notification",
        examples: """
            till notification list --customer ann
            till notification send TEST
            """,
        subcommands: [List.self, Show.self, Send.self, Resend.self, Delete.self],
        default: List.self
    )

    struct List: SendingCommand {
        static let configuration = CommandConfiguration(
            "Lists notifications, newest first.",
            examples: """
                till notification list --type DID_RENEW --limit 50
                till notification list --failed
                """
        )

        @Option(help: "Only this type: DID_RENEW, or with a subtype EXPIRED/VOLUNTARY.")
        var type: String?
        @Option(help: "Only notifications about this customer.")
        var customer: String?
        @Flag(help: "Only notifications that were sent but not delivered.")
        var failed = false
        @Option(help: "Only notifications sent to this endpoint.")
        var endpoint: String?
        @Option(help: "The start of the page, as printed after the previous page.")
        var after: String?
        @Option(help: "Maximum number of results, 1 to 100.")
        var limit: Int = 20
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> ListNotifications {
            ListNotifications(
                app: shop.app,
                type: type,
                customer: customer,
                failed: failed ? true : nil,
                endpoint: endpoint,
                after: after,
                limit: limit
            )
        }

        func text(_ page: NotificationList) -> String {
            Table.list(
                ["DATE", "NOTIFICATION", "TYPE", "CUSTOMER", "DELIVERIES"],
                page.notifications.map(NotificationCommand.row),
                empty: page.next == nil ? "No notifications." : "No match among the newest notifications.",
                next: page.next
            )
        }
    }

    struct Show: SendingCommand {
        static let configuration = CommandConfiguration(
            "Shows a notification with its decoded payloads and every delivery attempt.",
            examples: "till notification show 31f2b8a4-2c57-4d0e-9c39-6d1f0e7a5b21"
        )

        @Argument(help: "The notificationUUID.")
        var notification: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetNotification {
            GetNotification(app: shop.app, notificationUUID: notification)
        }
    }

    struct Resend: SendingCommand {
        static let configuration = CommandConfiguration(
            "Resends notifications, with exactly the same bytes.",
            examples: """
                till notification resend 31f2b8a4-2c57-4d0e-9c39-6d1f0e7a5b21
                till notification resend --from 2026-03-01 --to 2026-03-02
                """
        )

        @Argument(help: "The notificationUUID.")
        var notification: String?
        @Option(help: "Instead of a notificationUUID: resends all notifications created since this time.")
        var from: WrittenInstant?
        @Option(help: "With --from: the time until which the notifications were created.")
        var to: WrittenInstant?
        @Option(help: "The endpoint to send to (default: all endpoints).")
        var endpoint: String?
        @OptionGroup var options: SettlingOptions

        func validate() throws {
            guard (from == nil) == (to == nil), (notification == nil) == (from != nil) else {
                throw ValidationError("Give a notificationUUID, or --from and --to.")
            }
        }

        func request(_ shop: AppClient) -> ResendNotifications {
            ResendNotifications(
                app: shop.app,
                notificationUUID: notification,
                from: from?.instant,
                to: to?.instant,
                endpoint: endpoint
            )
        }

        func text(_ answer: ResendInfo) -> String { "Pending deliveries: \(answer.pending)." }
    }

    struct Delete: DestructiveCommand {
        static let configuration = CommandConfiguration(
            "Deletes notifications that are older than the retention period.",
            examples: """
                # only counts
                till notification delete --dry-run
                # what the server deletes every hour
                till notification delete --yes
                # older than 90 days; only the signed date counts
                till notification delete --days 90 --yes
                """,
            notes: "The age is measured on the slowest of real time, the environment's clock and the customer clocks. "
                + "Notifications with pending deliveries are kept."
        )

        @Option(help: "The retention period in days, instead of the server's setting (--notification-days).")
        var days: Int?
        @Flag(help: "Only counts what would be deleted.")
        var dryRun = false
        @OptionGroup var confirmation: Confirmation
        @OptionGroup var options: ServerOptions

        var timeout: Duration { .seconds(3_600) }

        func request(_ client: ControlClient) -> PruneNotifications { PruneNotifications(days: days, dryRun: dryRun) }

        func loss(_ client: ControlClient) async throws -> String {
            let count = try await client.send(PruneNotifications(days: days, dryRun: true), timeout: timeout)
            return "Delete \(count.notifications) notifications of all apps"
        }

        func run() async throws {
            if !dryRun { try await confirmation.confirm { try await loss(try options.connect()) } }
            try await send()
        }

        func heading(_ answer: PruneInfo) -> String? {
            dryRun ? "Nothing was changed." : "Deleted \(answer.notifications) notifications."
        }
    }

    static func row(_ notification: NotificationInfo) -> [String?] {
        let subtype = notification.subtype.map { "/\($0)" } ?? ""
        let deliveries = notification.deliveries.map { delivery in
            "\(delivery.endpoint) \(delivery.attempts.last?.sendAttemptResult.rawValue ?? "not tried")"
        }
        return [
            notification.signedDate.iso8601, notification.notificationUUID,
            notification.notificationType + subtype, notification.customer ?? "-", deliveries.joined(separator: ", "),
        ]
    }
}
