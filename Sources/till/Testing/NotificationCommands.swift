import ArgumentParser
import TillControl
import TillCore

struct NotificationCommand: DocumentedCommand {
    static let summary = "Lists, shows, sends, resends and deletes notifications."
    static let examples = """
        till notification list --customer ann
        till notification send TEST
        """
    static var subcommands: Subcommands { [List.self, Show.self, Send.self, Resend.self, Delete.self] }
    static var defaultSubcommand: (any ParsableCommand.Type)? { List.self }

    struct List: SendingCommand {
        static let summary = "Lists notifications, newest first."
        static let examples = """
            till notification list --type DID_RENEW --limit 50
            till notification list --failed
            """

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
    }

    struct Show: SendingCommand {
        static let summary = "Shows a notification with its decoded payloads and every delivery attempt."
        static let examples = "till notification show 31f2b8a4-2c57-4d0e-9c39-6d1f0e7a5b21"

        @Argument(help: "The notificationUUID.")
        var notification: String
        @OptionGroup var options: EnvironmentOptions

        func request(_ shop: AppClient) -> GetNotification {
            GetNotification(app: shop.app, notificationUUID: notification)
        }
    }

    struct Send: SendingCommand {
        static let summary = "Sends a notification of any type. Changes no data."
        static let examples = """
            till notification send EXPIRED/VOLUNTARY --transaction 2000000000012345
            till notification send EXTERNAL_PURCHASE_TOKEN/CREATED
            till notification send RESCIND_CONSENT --customer ann
            till notification send TEST
            """

        @Argument(help: "The notification type, with its subtype after a slash.")
        var notice: String
        @Option(help: "The transaction id; not for TEST and EXTERNAL_PURCHASE_TOKEN.")
        var transaction: String?
        @Option(help: "The customer of a RESCIND_CONSENT notification.")
        var customer: String?
        @OptionGroup var options: SettlingOptions

        private func chosen() throws -> Notice {
            let parts = notice.split(separator: "/", maxSplits: 1).map(String.init)
            guard let type = parts.first.flatMap(NotificationType.init(rawValue:)) else {
                let known = NotificationType.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("There is no notification type \(parts.first ?? ""). Types: \(known).")
            }
            guard parts.count == 2 else { return Notice(type) }
            guard let subtype = NotificationSubtype(rawValue: parts[1]) else {
                let known = type.subtypes.compactMap { $0?.rawValue }.joined(separator: ", ")
                throw ValidationError("There is no subtype \(parts[1]). Subtypes of \(type.rawValue): \(known).")
            }
            return Notice(type, subtype)
        }

        func validate() throws {
            let type = try chosen().type
            let subject = type.subject
            if subject == .customer, customer == nil, transaction == nil {
                throw ValidationError("Give the customer of the notification: --customer.")
            }
            if subject == .transaction, transaction == nil {
                throw ValidationError("Give the transaction of the notification: --transaction.")
            }
            if subject != .customer, customer != nil {
                throw ValidationError("\(type.rawValue) is not about a customer. Omit --customer.")
            }
        }

        func request(_ shop: AppClient) throws -> TriggerNotification {
            let notice = try chosen()
            return TriggerNotification(
                app: shop.app,
                type: notice.type,
                subtype: notice.subtype,
                transactionId: transaction,
                customer: customer
            )
        }

        func text(_ sent: NotificationInfo) -> String {
            if let token = sent.testNotificationToken { return "Sending the test.\ntestNotificationToken  \(token)" }
            return "Sending \(notice).\nnotificationUUID  \(sent.notificationUUID)"
        }
    }

    struct Resend: SendingCommand {
        static let summary = "Resends notifications, with exactly the same bytes."
        static let examples = """
            till notification resend 31f2b8a4-2c57-4d0e-9c39-6d1f0e7a5b21
            till notification resend --from 2026-03-01 --to 2026-03-02
            """

        @Argument(help: "The notificationUUID.")
        var notification: String?
        @Option(help: "Instead of a notificationUUID: resends all notifications created since this time.")
        var from: Timestamp?
        @Option(help: "With --from: the time until which the notifications were created.")
        var to: Timestamp?
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
                from: from,
                to: to,
                endpoint: endpoint
            )
        }

        func text(_ answer: ResendInfo) -> String { "Pending deliveries: \(answer.pending)." }
    }

    struct Delete: SendingCommand, DestructiveCommand {
        static let summary = "Deletes notifications that are older than the retention period."
        static let examples = """
            # only counts
            till notification delete --dry-run
            # what the server deletes every hour
            till notification delete --yes
            # older than 90 days; only the signed date counts
            till notification delete --days 90 --yes
            """
        static let notes =
            "The age is measured on the slowest of real time, the environment's clock and the customer clocks. "
            + "Notifications with pending deliveries are kept."

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

        func heading(_ answer: PruneInfo) -> String? {
            dryRun ? "Nothing was changed." : "Deleted \(answer.notifications) notifications."
        }
    }
}

extension NotificationList: TableAnswer {
    var rows: [NotificationInfo] { notifications }
    var empty: String { next == nil ? Row.empty : "No match among the newest notifications." }
}

extension NotificationInfo: TableRow {
    static let headings = ["DATE", "NOTIFICATION", "TYPE", "CUSTOMER", "DELIVERIES"]
    static let empty = "No notifications."
    var cells: [String?] {
        let subtype = subtype.map { "/\($0)" } ?? ""
        let sent = deliveries.map {
            "\($0.endpoint) \($0.attempts.last?.sendAttemptResult.rawValue ?? "not tried")"
        }
        return [
            signedDate.iso8601, notificationUUID, notificationType + subtype, customer ?? "-",
            sent.joined(separator: ", "),
        ]
    }
}
