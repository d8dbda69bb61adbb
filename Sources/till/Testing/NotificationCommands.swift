import ArgumentParser
import TillControl
import TillCore

struct NotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Lists, shows and resends notifications.",
        discussion: """
            till notifications list --customer ann
            till notifications show 31f2…
            till notifications resend 31f2…
            """,
        subcommands: [List.self, Show.self, Resend.self],
        defaultSubcommand: List.self
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lists notifications, newest first.",
            discussion: """
                till notifications list --type DID_RENEW --limit 50
                till notifications list --failed
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
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) {
                ListNotifications(
                    app: $0.app,
                    type: type,
                    customer: customer,
                    failed: failed ? true : nil,
                    endpoint: endpoint,
                    after: after,
                    limit: limit
                )
            } as: { page in
                let lines = page.notifications.map(NotificationsCommand.line)
                let more = page.next.map { "\nMore: till notifications list --after \($0)" } ?? ""
                guard lines.isEmpty else { return lines.joined(separator: "\n") + more }
                return more.isEmpty ? "No notifications." : "No match among the newest notifications." + more
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shows a notification with its decoded payloads and every delivery attempt.",
            discussion: "till notifications show 31f2b8a4-2c57-4d0e-9c39-6d1f0e7a5b21"
        )

        @Argument(help: "The notificationUUID.")
        var notification: String
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func run() async throws {
            try await server.show(in: scope) { GetNotification(app: $0.app, notificationUUID: notification) }
        }
    }

    struct Resend: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Resends notifications, with exactly the same bytes.",
            discussion: """
                till notifications resend 31f2b8a4-2c57-4d0e-9c39-6d1f0e7a5b21
                till notifications resend --from 2026-03-01 --to 2026-03-02
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
        @OptionGroup var scope: ScopeOptions
        @OptionGroup var server: ServerOptions

        func validate() throws {
            guard (from == nil) == (to == nil), (notification == nil) == (from != nil) else {
                throw ValidationError("Give a notificationUUID, or --from and --to.")
            }
        }

        func run() async throws {
            try await server.show(in: scope) {
                ResendNotifications(
                    app: $0.app,
                    notificationUUID: notification,
                    from: from?.instant,
                    to: to?.instant,
                    endpoint: endpoint
                )
            } as: {
                "Pending deliveries: \($0.pending)."
            }
        }
    }

    static func line(_ notification: NotificationInfo) -> String {
        let subtype = notification.subtype.map { "/\($0)" } ?? ""
        let deliveries = notification.deliveries.map { delivery in
            "\(delivery.endpoint) \(delivery.attempts.last?.sendAttemptResult.rawValue ?? "not tried")"
        }
        return "\(notification.signedDate.iso8601)  \(notification.notificationUUID)  "
            + "\(notification.notificationType)\(subtype)  \(notification.customer ?? "")  "
            + deliveries.joined(separator: ", ")
    }
}

struct NotifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notify",
        abstract: "Sends a notification of any type. Changes no data.",
        discussion: """
            till notify EXPIRED/VOLUNTARY --transaction 2000000000012345
            till notify EXTERNAL_PURCHASE_TOKEN/CREATED
            till notify RESCIND_CONSENT --customer ann
            till notify TEST
            """
    )

    @Argument(help: "The notification type, with its subtype after a slash.")
    var notice: String
    @Option(help: "The transaction id; not for TEST and EXTERNAL_PURCHASE_TOKEN.")
    var transaction: String?
    @Option(help: "The customer of a RESCIND_CONSENT notification.")
    var customer: String?
    @OptionGroup var scope: ScopeOptions
    @OptionGroup var server: ServerOptions

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

    func run() async throws {
        let notice = try chosen()
        try await server.show(in: scope) {
            TriggerNotification(
                app: $0.app,
                type: notice.type,
                subtype: notice.subtype,
                transactionId: transaction,
                customer: customer
            )
        } as: { sent in
            sent.testNotificationToken.map { "Sending the test.\ntestNotificationToken  \($0)" }
                ?? NotificationsCommand.line(sent)
        }
    }
}
