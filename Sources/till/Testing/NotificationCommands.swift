import ArgumentParser
import TillCore
import TillJSON
import TillShop

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
            let filters = [
                type.map { "type=\(escaped($0))" }, customer.map { "customer=\(escaped($0))" },
                failed ? "failed=true" : nil, endpoint.map { "endpoint=\(escaped($0))" },
                after.map { "after=\(escaped($0))" }, "limit=\(limit)",
            ].compactMap(\.self).joined(separator: "&")
            try await server.showRaw {
                try await $0.get("\(try await scope.path($0))/notifications?\(filters)")
            } as: {
                let lines = ($0["notifications"]?.elements ?? []).map(NotificationsCommand.line)
                let more = $0["next"]?.text.map { "\nMore: till notifications list --after \($0)" } ?? ""
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
            try await server.showRaw {
                try await $0.get("\(try await scope.path($0))/notifications/\(escaped(notification))")
            } as: {
                Output.lines($0)
            }
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
            guard (notification == nil) == (from != nil), (from == nil) == (to == nil) else {
                throw ValidationError("Give a notificationUUID, or --from and --to.")
            }
        }

        func run() async throws {
            let client = try server.rawClient()
            let path = "\(try await scope.path(client))/notifications"
            let answer: JSONTree
            if let notification {
                answer = try await client.post(
                    "\(path)/\(escaped(notification))/resend",
                    .members(["endpoint": .text(endpoint)])
                )
            } else {
                answer = try await client.post(
                    "\(path)/resend",
                    .members([
                        "from": .count(from?.instant.milliseconds), "to": .count(to?.instant.milliseconds),
                        "endpoint": .text(endpoint),
                    ])
                )
            }
            Output.show(answer, asJSON: server.json) { "Pending deliveries: \($0["pending"]?.text ?? "0")." }
        }
    }

    static func line(_ notification: JSONTree) -> String {
        let subtype = notification["subtype"]?.text.map { "/\($0)" } ?? ""
        let deliveries = (notification["deliveries"]?.elements ?? []).map { delivery in
            let attempts = delivery["attempts"]?.elements ?? []
            let last = attempts.last?["sendAttemptResult"]?.text ?? "not tried"
            return "\(delivery["endpoint"]?.text ?? "") \(last)"
        }
        return "\(ClockCommand.instant(notification["signedDate"]))  \(notification["notificationUUID"]?.text ?? "")  "
            + "\(notification["notificationType"]?.text ?? "")\(subtype)  \(notification["customer"]?.text ?? "")  "
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

    private var type: String { String(notice.prefix { $0 != "/" }) }

    func validate() throws {
        // The server refuses unknown types.
        let subject = NotificationType(rawValue: type)?.subject ?? .transaction
        if subject == .customer, customer == nil, transaction == nil {
            throw ValidationError("Give the customer of the notification: --customer.")
        }
        if subject == .transaction, transaction == nil {
            throw ValidationError("Give the transaction of the notification: --transaction.")
        }
        if subject != .customer, customer != nil {
            throw ValidationError("\(type) is not about a customer. Omit --customer.")
        }
    }

    func run() async throws {
        let client = try server.rawClient()
        let path = "\(try await scope.path(client))/notifications"
        if notice == NotificationType.test.rawValue, transaction == nil {
            let answer = try await client.post("\(path)/test")
            return Output.show(answer, asJSON: server.json) {
                "Sending the test.\ntestNotificationToken  \($0["testNotificationToken"]?.text ?? "")"
            }
        }
        let parts = notice.split(separator: "/", maxSplits: 1).map(String.init)
        let body = JSONTree.members([
            "type": .text(parts.first), "subtype": .text(parts.count == 2 ? parts[1] : nil),
            "transactionId": .text(transaction), "customer": .text(customer),
        ])
        let answer = try await client.post(path, body)
        Output.show(answer, asJSON: server.json) { NotificationsCommand.line($0) }
    }
}
