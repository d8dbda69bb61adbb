import Foundation
import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// Operations on notifications: lists, deliveries, resending, and sending by hand.
extension ControlAPI {
    private static let attempt = Schema.object(
        "A delivery attempt.",
        [
            Schema.required("attemptDate", .integer("When it was made, on the environment's clock.")),
            Schema.required("sendAttemptResult", .string("The result of the attempt.")),
            Schema.optional("status", .integer("The HTTP status of the answer.")),
            Schema.required("milliseconds", .integer("The duration in milliseconds of real time.")),
            Schema.optional("reason", .string("Why Till refused to send to the endpoint.")),
        ]
    )

    private static let notificationProperties = [
        Schema.required("notificationUUID", .string("The id of the notification.", format: "uuid")),
        Schema.required("notificationType", .string("The type.")),
        Schema.required("version", .integer("The version of the notification: 1 or 2.", 1...2)),
        Schema.optional("subtype", .string("The subtype.")),
        Schema.required("signedDate", .integer("When the notification was created, in milliseconds since 1970.")),
        Schema.optional("customer", .string("The customer whom the notification is about.")),
        Schema.optional("originalTransactionId", .string("The original transaction id.")),
        Schema.optional("transactionId", .string("The transaction id.")),
        Schema.required("isTriggered", .boolean("Whether it was sent by hand, without an event.")),
        Schema.required(
            "deliveries",
            .array(
                "The delivery to each endpoint.",
                of: .object(
                    "The delivery to one endpoint.",
                    [
                        Schema.required("endpoint", .string("The name of the endpoint.")),
                        Schema.required("isDelivered", .boolean("Whether the notification was delivered.")),
                        Schema.optional(
                            "nextAttemptDate",
                            .integer(
                                "When the next attempt is due; absent if none is planned."
                            )
                        ),
                        Schema.required("attempts", .array("The delivery attempts, oldest first.", of: attempt)),
                    ]
                )
            )
        ),
    ]

    private static let notificationSchema = Schema.object("A notification.", notificationProperties)

    private static let wholeNotification = Schema.object(
        "A notification, with its decoded payloads.",
        notificationProperties + [
            Schema.optional("signedPayload", .string("The signed payload exactly as sent; absent for version 1.")),
            Schema.required("payload", .anyObject("The decoded payload.")),
            Schema.optional("transactionInfo", .anyObject("The decoded payload of its signedTransactionInfo.")),
            Schema.optional("renewalInfo", .anyObject("The decoded payload of its signedRenewalInfo.")),
        ]
    )

    private static let pending = Schema.object(
        "The result of resending.",
        [Schema.required("owed", .integer("The number of deliveries now pending."))]
    )

    var notificationRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/notifications",
                id: "listNotifications",
                tag: "notifications",
                summary:
                    "Lists notifications, newest first, in pages. More pages may follow a short or empty page.",
                query: [
                    Schema.optional("type", .string("Only this type: DID_RENEW, or with a subtype EXPIRED/VOLUNTARY.")),
                    Schema.optional("customer", .string("Only notifications about this customer.")),
                    Schema.optional("failed", .string("true: only with a delivery that failed or will be retried.")),
                    Schema.optional("endpoint", .string("Only notifications sent to this endpoint.")),
                    Schema.optional("from", .string("Only created at or after this time, in milliseconds since 1970.")),
                    Schema.optional("to", .string("Only created at or before this time, in milliseconds since 1970.")),
                    Schema.optional("after", .string("The value of `next` from the previous page.")),
                    Schema.optional("limit", .string("Maximum number of results, 1 to 100; 20 by default.")),
                ],
                response: .object(
                    "A page of notifications.",
                    [
                        Schema.required("notifications", .array("Newest first.", of: Self.notificationSchema)),
                        Schema.optional(
                            "next",
                            .string("The value of `after` for the next page; absent on the last page.")
                        ),
                    ]
                )
            ) { try await listNotifications($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/notifications",
                id: "triggerNotification",
                tag: "notifications",
                summary:
                    "Sends a notification of any type and subtype, with the current data. Changes no data.",
                request: .object(
                    "The notification to send.",
                    [
                        Schema.required(
                            "type",
                            .string("The notification type.", oneOf: NotificationType.allCases.map(\.rawValue))
                        ),
                        Schema.optional(
                            "subtype",
                            .string("The subtype.", oneOf: NotificationSubtype.allCases.map(\.rawValue))
                        ),
                        Schema.optional(
                            "transactionId",
                            .string("The transaction id; only for types about a transaction.")
                        ),
                        Schema.optional("customer", .string("The customer of a RESCIND_CONSENT notification.")),
                    ]
                ),
                response: Self.notificationSchema,
                status: .created
            ) { try await trigger($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/notifications/test",
                id: "requestTestNotification",
                tag: "notifications",
                summary: "Sends a TEST notification to the primary endpoint.",
                response: .object(
                    "The token of the test notification.",
                    [
                        Schema.required(
                            "testNotificationToken",
                            .string("The token for Apple's Get Test Notification Status.")
                        )
                    ]
                )
            ) { exchange in
                let scope = try exchange.scope()
                guard let token = try await shop.requestTest(in: scope) else {
                    if shop.registry.rules(of: scope).primary != nil { throw Self.noTest }
                    let others = shop.endpoints(of: scope).map(\.name)
                    throw others.isEmpty ? Self.noEndpoint : Self.noPrimary(others)
                }
                var json = JSONWriter()
                json.put("testNotificationToken", token)
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/notifications/resend",
                id: "resendNotifications",
                tag: "notifications",
                summary: "Resends the notifications created between two ControlLimit.clockTimes.",
                request: .object(
                    "Which notifications to resend.",
                    [
                        Schema.required("from", .integer("Created at or after this time.", ControlLimit.clockTimes)),
                        Schema.required("to", .integer("Created at or before this time.", ControlLimit.clockTimes)),
                        Schema.optional("endpoint", .string("The name of the endpoint; by default all endpoints.")),
                    ]
                ),
                response: Self.pending
            ) { try await resendRange($0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/notifications/{notificationUUID}",
                id: "getNotification",
                tag: "notifications",
                summary: "Shows a notification with its decoded payloads and every delivery attempt.",
                response: Self.wholeNotification
            ) { exchange in
                let entry = try await notification(exchange)
                var json = JSONWriter(capacity: 65_536)
                try await write(entry, to: &json)
                switch entry.version {
                case .one: json.put("payload", written: entry.body.payload)
                case .two:
                    let signed = try shop.signedPayload(entry)
                    json.put("signedPayload", String(decoding: signed, as: UTF8.self))
                    let parts = signed.split(separator: UInt8(ascii: "."))
                    json.put("payload", written: parts.count == 3 ? Base64URL.decode(parts[1]) : nil)
                }
                json.put("transactionInfo", written: entry.transactionInfo?.payload)
                json.put("renewalInfo", written: entry.renewalInfo?.payload)
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/notifications/{notificationUUID}/resend",
                id: "resendNotification",
                tag: "notifications",
                summary: "Resends a notification, with exactly the same bytes.",
                request: .object(
                    "Where to resend the notification.",
                    [Schema.optional("endpoint", .string("The name of the endpoint; by default all endpoints."))]
                ),
                response: Self.pending
            ) { exchange in
                let entry = try await notification(exchange)
                return try await resend([entry], exchange)
            },
        ]
    }

    private static let noEndpoint = ControlError.conflict(
        "no_endpoint",
        "No endpoint is configured. Set one with till endpoint set, or use till listen."
    )

    private static func noPrimary(_ others: [String]) -> ControlError {
        .conflict(
            "no_endpoint",
            "A TEST goes to the endpoint primary, which is not configured. Set it with till endpoint set. "
                + "Endpoints: \(others.joined(separator: ", "))."
        )
    }

    private static let noTest = ControlError.conflict(
        "version_one",
        "The primary endpoint uses version 1, which has no TEST notification."
    )

    private func notification(_ exchange: ControlExchange) async throws -> OutboxEntry {
        let text = exchange.parameter("notificationUUID")
        guard
            let uuid = UUIDText.canonical(text),
            let entry = try await shop.storage.notification(uuid: uuid, in: try exchange.scope())
        else {
            throw ControlError.notFound(
                "unknown_notification",
                "There is no notification \(text.prefix(64)). List them with till notifications list."
            )
        }
        return entry
    }

    // MARK: Lists

    private func listNotifications(_ exchange: ControlExchange) async throws -> [UInt8] {
        func value(_ name: String) -> String? { exchange.query.values(name).first }
        var query = NotificationQuery(scope: try exchange.scope(), isDescending: true)
        guard let limit = value("limit").map({ Int($0) ?? 0 }) ?? 20 as Int?, (1...100).contains(limit) else {
            throw ControlError.bad("bad_page", "limit must be 1 to 100.", path: "limit")
        }
        if let words = value("type") {
            let parts = words.split(separator: "/", maxSplits: 1).map(String.init)
            query.type = parts.first
            if parts.count == 2 {
                query.subtype = parts[1]
                query.isSubtypeFixed = true
            }
        }
        if let customer = value("customer") {
            guard
                let account = try await shop.storage.account(
                    environment: query.scope.environment,
                    app: query.scope.app,
                    customer: customer
                )
            else { throw Refusal.unknownAccount(customer) }
            query.account = account.id
        }
        query.from = try instant(value("from"), "from")
        query.to = try instant(value("to"), "to")
        query.onlyFailures = value("failed") == "true"
        let endpoints = shop.endpoints(of: query.scope)
        // Failed deliveries to primary count even if primary no longer exists, for example after `till listen` ended.
        let failing = Set(endpoints.map(\.key) + [EndpointRecord.primary])
        var places: [String?] = query.onlyFailures ? Array(failing) : [nil]
        if let name = value("endpoint") { places = [endpoints.first { $0.name == name }?.key ?? name] }
        if let after = value("after") {
            let parts = after.split(separator: "-").compactMap { Int64($0) }
            guard parts.count == 2 else {
                throw ControlError.bad("bad_page", "after must be the next of the previous page.", path: "after")
            }
            query.after = (Timestamp(milliseconds: parts[0]), NotificationID(parts[1]))
        }
        var pages: [(found: [OutboxEntry], last: OutboxEntry?)] = []
        for place in places {
            query.endpoint = place
            pages.append(try await NotificationSearch(query: query, limit: limit).page(in: shop.storage))
        }
        let (found, last) = NotificationSearch.merged(pages, limit: limit)
        let deliveries = try await shop.storage.deliveries(of: found.map(\.id))
        var customers: [AccountID: String] = [:]
        for account in Set(found.compactMap(\.account)) {
            customers[account] = try await shop.storage.storedAccount(account)?.customer
        }
        let written = found.map { entry in
            var json = JSONWriter()
            write(entry, of: entry.account.flatMap { customers[$0] }, deliveries[entry.id] ?? [], to: &json)
            return json.finish()
        }
        var json = JSONWriter()
        json.put("notifications", objects: written)
        json.put("next", last.map { "\($0.signedDate.milliseconds)-\($0.id.number)" })
        return json.finish()
    }

    private func instant(_ text: String?, _ name: String) throws -> Timestamp? {
        guard let text else { return nil }
        guard let milliseconds = Int64(text) else {
            throw ControlError.bad("bad_instant", "\(name) must be in milliseconds since 1970.", path: name)
        }
        return Timestamp(milliseconds: milliseconds)
    }

    // MARK: Sending

    private func trigger(_ exchange: ControlExchange) async throws -> [UInt8] {
        let body = exchange.body
        guard let type = body.text("type").flatMap(NotificationType.init(rawValue:)) else { return [] }
        let notice = Notice(type, body.text("subtype").flatMap(NotificationSubtype.init(rawValue:)))
        let customer = body.text("customer")
        if let id = body.text("transactionId") {
            let (row, account) = try await exchange.transaction(id)
            guard customer == nil || customer == account.customer else {
                throw ControlError.bad(
                    "bad_customer",
                    "Transaction \(id) belongs to customer \(account.customer). Remove customer.",
                    path: "$.customer"
                )
            }
            return try await json(try await shop.trigger(notice, about: row, of: account))
        }
        switch type.subject {
        case .app: return try await json(try await shop.trigger(notice, in: try exchange.scope()))
        case .customer:
            guard let customer else {
                throw ControlError.bad(
                    "customer_missing",
                    "\(notice.words) needs a customer.",
                    path: "$.customer"
                )
            }
            let account = try await exchange.account(of: customer)
            return try await json(try await shop.trigger(notice, about: nil, of: account))
        case .transaction:
            throw ControlError.bad(
                "transaction_missing",
                "\(notice.words) needs a transactionId.",
                path: "$.transactionId"
            )
        }
    }

    private func resendRange(_ exchange: ControlExchange) async throws -> [UInt8] {
        let (from, to) = (exchange.body.instant("from"), exchange.body.instant("to"))
        if let from, let to, from > to {
            throw ControlError.bad("bad_range", "from must not be later than to.", path: "$.from")
        }
        var query = NotificationQuery(scope: try exchange.scope(), from: from, to: to, limit: 100)
        var all: [OutboxEntry] = []
        while true {
            let page = try await shop.storage.notifications(query)
            all += page
            guard let last = page.last, page.count == query.limit else { break }
            guard all.count < Self.maxResent else {
                throw ControlError.conflict(
                    "too_many",
                    "More than \(Self.maxResent) notifications were created between from and to. Give a shorter range."
                )
            }
            query.after = (last.signedDate, last.id)
        }
        return try await resend(all, exchange)
    }

    /// The maximum number of notifications that one request resends.
    private static let maxResent = 10_000

    private func resend(_ entries: [OutboxEntry], _ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let endpoint = exchange.body.text("endpoint")
        let known = shop.endpoints(of: scope).map(\.name)
        guard !known.isEmpty else { throw Self.noEndpoint }
        if let endpoint, !known.contains(endpoint) {
            throw ControlError.notFound(
                "unknown_endpoint",
                "There is no endpoint \(endpoint.prefix(64)). Endpoints: \(known.joined(separator: ", "))."
            )
        }
        var pending = 0
        for entry in entries { pending += try await shop.resend(entry, to: endpoint) }
        var json = JSONWriter()
        json.put("owed", pending)
        return json.finish()
    }

    // MARK: Answers

    private func json(_ entry: OutboxEntry) async throws -> [UInt8] {
        var json = JSONWriter()
        try await write(entry, to: &json)
        return json.finish()
    }

    private func write(_ entry: OutboxEntry, to json: inout JSONWriter) async throws {
        var customer: String?
        if let account = entry.account { customer = try await shop.storage.storedAccount(account)?.customer }
        write(entry, of: customer, try await shop.storage.deliveries(of: entry.id), to: &json)
    }

    private func write(
        _ entry: OutboxEntry,
        of customer: String?,
        _ deliveries: [Delivery],
        to json: inout JSONWriter
    ) {
        json.put("notificationUUID", entry.uuid)
        json.put("notificationType", entry.type)
        json.put("version", entry.version.rawValue)
        json.put("subtype", entry.subtype)
        json.put("signedDate", entry.signedDate)
        json.put("customer", customer)
        json.put("originalTransactionId", entry.original?.wireForm)
        json.put("transactionId", entry.transaction?.wireForm)
        json.put("isTriggered", entry.isTriggered)
        json.put("deliveries", objects: deliveries.map(Self.json))
    }

    private static func json(_ delivery: Delivery) -> [UInt8] {
        var json = JSONWriter()
        json.put("endpoint", EndpointRecord.name(ofKey: delivery.endpoint))
        json.put("isDelivered", delivery.isDelivered)
        json.put("nextAttemptDate", delivery.due)
        json.put(
            "attempts",
            objects: delivery.attempts.map { attempt in
                var json = JSONWriter()
                json.put("attemptDate", attempt.date)
                json.put("sendAttemptResult", attempt.result.rawValue)
                json.put("status", attempt.status)
                json.put("milliseconds", attempt.milliseconds)
                json.put("reason", attempt.reason)
                return json.finish()
            }
        )
        return json.finish()
    }
}
