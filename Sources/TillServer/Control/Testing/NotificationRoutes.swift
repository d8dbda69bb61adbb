import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// Operations on notifications: lists, deliveries, resending, sending by hand, and `till listen`, which fetches
/// notifications over the control API and forwards them to a local server.
extension ControlAPI {
    var notificationRoutes: [ControlRoute] {
        [
            ControlRoute(ListNotifications.self) { try await listNotifications($0) },
            ControlRoute(TriggerNotification.self) { call in
                let entry = try await trigger(call)
                var info = try await info(of: entry)
                info.testNotificationToken = entry.testNotificationToken
                return info
            },
            ControlRoute(ResendNotifications.self) { call in
                try await resend(try await notifications(of: call), to: call.endpoint, try call.scope())
            },
            ControlRoute(GetNotification.self) { call in
                let entry = try await notification(call.notificationUUID, in: try call.scope())
                return try await withPayloads(of: entry)
            },
            ControlRoute(Listen.self) { call in
                let offer = try await shop.nextOffer(in: try call.scope(), wait: .seconds(call.wait ?? 25))
                return offer.map { DeliveryOfferInfo($0) } ?? DeliveryOfferInfo()
            },
            ControlRoute(AnswerDelivery.self, waitsForRestore: false) { call in
                let scope = try call.scope()
                let result: SendAttemptResult =
                    if let status = call.status {
                        (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
                    } else {
                        call.result ?? .other
                    }
                let delivered = AttemptResult(result: result, status: call.status, milliseconds: 0)
                guard shop.listeners.answer(call.deliveryToken, in: scope, delivered) else {
                    throw ControlError.notFound(
                        "unknown_delivery",
                        "No delivery of this app's environment has this token. If it has timed out, Till retries it "
                            + "later."
                    )
                }
                return NoAnswer()
            },
        ]
    }

    private static let noEndpoint = ControlError.conflict(
        "no_endpoint",
        "No endpoint is configured. Set one with till endpoint create, or use till listen."
    )

    private static func noPrimary(_ others: [String]) -> ControlError {
        .conflict(
            "no_endpoint",
            "A TEST goes to the endpoint primary, which is not configured. Set it with till endpoint create. "
                + "Endpoints: \(others.joined(separator: ", "))."
        )
    }

    private static let noTest = ControlError.conflict(
        "version_one",
        "The primary endpoint uses version 1, which has no TEST notification."
    )

    private func notification(_ text: String, in scope: AccountScope) async throws -> OutboxEntry {
        guard
            let uuid = UUIDText.canonical(text),
            let entry = try await shop.storage.notification(uuid: uuid, in: scope)
        else {
            throw Self.unknown(text)
        }
        return entry
    }

    private static func unknown(_ text: String) -> ControlError {
        .notFound(
            "unknown_notification",
            "There is no notification \(text.prefix(64)). List them with till notification list."
        )
    }

    // MARK: Lists

    private func listNotifications(_ call: ControlCall<ListNotifications>) async throws -> NotificationList {
        let limit = call.limit ?? 20
        var query = try await query(of: call)
        let endpoints = shop.endpoints(of: query.scope)
        // Failed deliveries to primary count even if primary no longer exists, for example after `till listen` ended.
        let failing = Set(endpoints.map(\.key) + [EndpointRecord.primary])
        var places: [String?] = query.onlyFailures ? Array(failing) : [nil]
        if let name = call.endpoint { places = [endpoints.first { $0.name == name }?.key ?? name] }
        var pages: [(found: [OutboxEntry], last: OutboxEntry?)] = []
        for place in places {
            query.endpoint = place
            pages.append(try await NotificationSearch(query: query, limit: limit).page(in: shop.storage))
        }
        let (found, last) = NotificationSearch.merged(pages, limit: limit)
        let deliveries = try await shop.storage.deliveries(of: found.map(\.id))
        var accounts: [AccountID: StoredAccount] = [:]
        for account in Set(found.compactMap(\.account)) {
            accounts[account] = try await shop.storage.storedAccount(account)
        }
        var infos: [NotificationInfo] = []
        for entry in found {
            let account = entry.account.flatMap { accounts[$0] }
            infos.append(try await info(of: entry, account, deliveries[entry.id] ?? []))
        }
        return NotificationList(
            notifications: infos,
            next: last.map { "\($0.signedDate.milliseconds)-\($0.id.number)" }
        )
    }

    /// The filters of a request.
    private func query(of call: ControlCall<ListNotifications>) async throws -> NotificationQuery {
        var query = NotificationQuery(scope: try call.scope(), isDescending: true)
        if let words = call.type {
            let parts = words.split(separator: "/", maxSplits: 1).map(String.init)
            query.type = parts.first
            if parts.count == 2 {
                query.subtype = parts[1]
                query.isSubtypeFixed = true
            }
        }
        if let customer = call.customer {
            guard let account = try await shop.storage.account(of: CustomerName(query.scope, customer)) else {
                throw Refusal.unknownAccount(customer)
            }
            query.account = account.id
        }
        query.from = call.from
        query.to = call.to
        query.onlyFailures = call.failed ?? false
        query.after = try ControlError.position(call.after, count: 2).map {
            (Timestamp(milliseconds: $0[0]), NotificationID($0[1]))
        }
        return query
    }

    // MARK: Sending

    private func trigger(_ call: ControlCall<TriggerNotification>) async throws -> OutboxEntry {
        let notice = Notice(call.type, call.subtype)
        if notice == Notice(.test), call.transactionId == nil, call.customer == nil {
            return try await sendTest(in: try call.scope())
        }
        if let id = call.transactionId {
            let (row, account) = try await call.transaction(id)
            guard call.customer == nil || call.customer == account.customer else {
                throw ControlError.bad(
                    "bad_customer",
                    "Transaction \(id) belongs to customer \(account.customer). Remove customer.",
                    path: "$.customer"
                )
            }
            return try await shop.trigger(notice, about: row, of: account)
        }
        switch call.type.subject {
        case .app: return try await shop.trigger(notice, in: try call.scope())
        case .customer:
            guard let customer = call.customer else {
                throw ControlError.bad(
                    "customer_missing",
                    "\(notice.words) needs a customer.",
                    path: "$.customer"
                )
            }
            return try await shop.trigger(notice, about: nil, of: try await call.account(of: customer))
        case .transaction:
            throw ControlError.bad(
                "transaction_missing",
                "\(notice.words) needs a transactionId.",
                path: "$.transactionId"
            )
        }
    }

    /// Sends a test notification to the primary endpoint.
    private func sendTest(in scope: AccountScope) async throws -> OutboxEntry {
        if let test = try await shop.requestTest(in: scope, isTriggered: true) { return test }
        if shop.registry.rules(of: scope).primary != nil { throw Self.noTest }
        let others = shop.endpoints(of: scope).map(\.name)
        throw others.isEmpty ? Self.noEndpoint : Self.noPrimary(others)
    }

    /// The notification with the id of the request, or all that were created between the two times of the request.
    private func notifications(of call: ControlCall<ResendNotifications>) async throws -> [OutboxEntry] {
        let scope = try call.scope()
        switch (call.notificationUUID, call.from, call.to) {
        case (let id?, nil, nil): return [try await notification(id, in: scope)]
        case (nil, let from?, let to?): return try await notifications(from: from, to: to, in: scope)
        default:
            throw ControlError.bad(
                "bad_range",
                "Give either notificationUUID, or from and to.",
                path: call.notificationUUID == nil ? "$.from" : "$.notificationUUID"
            )
        }
    }

    /// All notifications that were created between two times.
    private func notifications(from: Timestamp, to: Timestamp, in scope: AccountScope) async throws -> [OutboxEntry] {
        guard from <= to else {
            throw ControlError.bad("bad_range", "from must not be later than to.", path: "$.from")
        }
        var query = NotificationQuery(scope: scope, from: from, to: to, limit: 100)
        var all: [OutboxEntry] = []
        while true {
            let page = try await shop.storage.notifications(query)
            all += page
            guard let last = page.last, page.count == query.limit else { return all }
            guard all.count < Self.maxResent else {
                throw ControlError.conflict(
                    "too_many",
                    "More than \(Self.maxResent) notifications were created between from and to. Give a shorter range."
                )
            }
            query.after = (last.signedDate, last.id)
        }
    }

    /// The maximum number of notifications that one request resends.
    private static let maxResent = 10_000

    private func resend(_ entries: [OutboxEntry], to endpoint: String?, _ scope: AccountScope) async throws
        -> ResendInfo
    {
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
        return ResendInfo(pending: pending)
    }

    // MARK: Answers

    private func info(of entry: OutboxEntry) async throws -> NotificationInfo {
        var account: StoredAccount?
        if let id = entry.account { account = try await shop.storage.storedAccount(id) }
        return try await info(of: entry, account, try await shop.storage.deliveries(of: entry.id))
    }

    /// The notification without its payloads. The ids of an imported customer are those in the payloads.
    private func info(of entry: OutboxEntry, _ account: StoredAccount?, _ deliveries: [Delivery]) async throws
        -> NotificationInfo
    {
        var info = NotificationInfo(entry, of: account?.customer, deliveries)
        guard account?.account?.foreignID != nil, let id = entry.transaction ?? entry.original,
            let row = try await shop.storage.transaction(id)
        else { return info }
        if entry.transaction != nil { info.transactionId = row.shownID }
        if entry.original != nil { info.originalTransactionId = row.shownOriginalID }
        return info
    }

    private func withPayloads(of entry: OutboxEntry) async throws -> NotificationInfo {
        var info = try await info(of: entry)
        if case .versionOne(let body) = entry.content {
            info.payload = try Self.object(body)
        } else {
            guard let signed = try await shop.signedPayload(entry) else { throw Self.unknown(entry.uuid) }
            info.signedPayload = String(decoding: signed, as: UTF8.self)
            let parts = signed.split(separator: UInt8(ascii: "."))
            info.payload = try (parts.count == 3 ? Base64URL.decode(parts[1]) : nil).map(Self.object)
        }
        info.transactionInfo = try entry.content.transactionInfo.map(Self.object)
        info.renewalInfo = try entry.content.renewalInfo.map(Self.object)
        return info
    }

    private static func object(_ payload: [UInt8]) throws -> JSONObject {
        JSONObject(try JSONTree.parse(payload, limits: .depthOnly, keepsNull: true))
    }
}

extension NotificationInfo {
    /// Describes a notification, without its payloads.
    fileprivate init(_ entry: OutboxEntry, of customer: String?, _ deliveries: [Delivery]) {
        self.init(
            notificationUUID: entry.uuid,
            notificationType: entry.type,
            version: entry.version.rawValue,
            subtype: entry.subtype,
            signedDate: entry.signedDate,
            customer: customer,
            originalTransactionId: entry.original?.wireForm,
            transactionId: entry.transaction?.wireForm,
            isTriggered: entry.isTriggered,
            deliveries: deliveries.map { DeliveryInfo($0) }
        )
    }
}

extension DeliveryInfo {
    fileprivate init(_ delivery: Delivery) {
        self.init(
            endpoint: EndpointRecord.name(ofKey: delivery.endpoint),
            isDelivered: delivery.isDelivered,
            nextAttemptDate: delivery.due,
            attempts: delivery.attempts.map { attempt in
                DeliveryAttemptInfo(
                    attemptDate: attempt.date,
                    sendAttemptResult: attempt.result,
                    status: attempt.status,
                    milliseconds: attempt.milliseconds,
                    reason: attempt.reason
                )
            }
        )
    }
}

extension DeliveryOfferInfo {
    fileprivate init(_ offer: Listeners.Offer) {
        self.init(
            deliveryToken: offer.token,
            notificationUUID: offer.entry.uuid,
            notificationType: offer.entry.type,
            subtype: offer.entry.subtype,
            body: String(decoding: offer.body, as: UTF8.self)
        )
    }
}
