import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The endpoints Get Notification History, Request a Test Notification and Get Test Notification Status
/// (docs/api/notifications.md).
extension AppleAPI {
    var notifications: [Endpoint] {
        [
            Endpoint(.post, "/inApps/v1/notifications/history") { try await notificationHistory($0) },
            Endpoint(.post, "/inApps/v1/notifications/test") { try await requestTest($0) },
            Endpoint(.get, "/inApps/v1/notifications/test/{id}") { try await testStatus($0) },
        ]
    }

    private static let pageLength = 20

    // MARK: History

    private func notificationHistory(_ exchange: Exchange) async throws -> Response {
        let token = try exchange.query.value("paginationToken", orThrow: .invalidPaginationToken)
        let place = try token.map { text in
            guard let place: NotificationCursor = shop.cursors.open(text) else {
                throw APIError.invalidPaginationToken.because("This server did not issue the token.")
            }
            return place
        }
        let oldest = oldestStart(exchange.scope)
        let accepted = oldest.advanced(milliseconds: -Int64(shop.settings.historyExtraDays) * 86_400_000)
        let wanted = try NotificationFilter(try await exchange.object(), oldest: oldest, accepted: accepted)
        let digest = NotificationCursor.digest(of: exchange.scope, wanted.words)
        if let place, place.filters != digest {
            throw APIError.invalidPaginationToken.because(
                "The token is from a call with another app, environment or body. Repeat the body of that call."
            )
        }
        var query = try await query(wanted, from: max(wanted.start, oldest), exchange)
        query.after = place.map { ($0.signedDate, $0.id) }
        let found = try await shop.storage.notifications(query)
        let shown = Array(found.prefix(Self.pageLength))
        let page = try await shop.signed(shown)
        let deliveries = try await shop.storage.deliveries(of: shown.map(\.id), to: EndpointRecord.primary)

        let hasMore = found.count > shown.count
        var json = JSONWriter(capacity: 32_768 * page.count + 256)
        json.put("hasMore", hasMore)
        if hasMore, let last = shown.last {
            let next = NotificationCursor(filters: digest, signedDate: last.signedDate, id: last.id)
            json.put("paginationToken", shop.cursors.seal(next))
        }
        json.put("notificationHistory", objects: try page.map { try item($0, deliveries[$0.entry.id]) })
        return .json(json.finish())
    }

    /// Selects the notifications sent to the primary endpoint or, with `historyListsAll`, all notifications.
    private func query(
        _ wanted: NotificationFilter,
        from start: Timestamp,
        _ exchange: Exchange
    ) async throws -> NotificationQuery {
        let scope = exchange.scope
        let listsAll = shop.settings.historyListsAll && !wanted.onlyFailures
        var query = NotificationQuery(scope: scope, endpoint: listsAll ? nil : EndpointRecord.primary)
        query.kind = .signed
        query.from = start
        // An end date that is not earlier than the clocks is ignored, because signed dates can be slightly later than
        // the clock. Real time does not matter: once it has passed a frozen clock, it would hide such notifications.
        query.to = wanted.end < latestClock(scope) ? wanted.end : nil
        query.type = wanted.type
        query.subtype = wanted.subtype
        query.isSubtypeFixed = wanted.subtype != nil
        query.onlyFailures = wanted.onlyFailures
        query.limit = Self.pageLength + 1
        if let text = wanted.transaction {
            let number = try number(text, orThrow: .invalidTransactionID)
            query.account = try await customer(number, in: scope, orThrow: .transactionIDNotFound)
        }
        return query
    }

    /// The start of the history: 180 days ago in production and 30 days ago in the sandbox. The slower of real time and
    /// the environment's clock counts, so that an advance does not hide earlier notifications.
    private func oldestStart(_ scope: AccountScope) -> Timestamp {
        let days: Int64 = scope.environment == .production ? 180 : 30
        return min(shop.now(in: scope), shop.wallClock()).advanced(milliseconds: -days * 86_400_000)
    }

    /// The latest of the environment's clock and the customer clocks.
    private func latestClock(_ scope: AccountScope) -> Timestamp {
        let own = shop.clocks.own(in: scope).map { shop.now(on: ClockName(scope, own: $0)) }
        return own.reduce(shop.now(in: scope)) { max($0, $1) }
    }

    private func item(_ notification: SignedNotification, _ delivery: Delivery?) throws -> [UInt8] {
        var json = JSONWriter(capacity: 32_768)
        try put(notification, delivery?.attempts ?? [], in: &json)
        return json.finish()
    }

    /// The signed notification and its send attempts.
    private func put(_ notification: SignedNotification, _ attempts: [SendAttempt], in json: inout JSONWriter) throws {
        json.put("signedPayload", String(decoding: try shop.signedPayload(notification), as: UTF8.self))
        json.put("firstSendAttemptResult", attempts.first?.result.rawValue)
        json.put(
            "sendAttempts",
            objects: attempts.map { attempt in
                var json = JSONWriter(capacity: 96)
                json.put("attemptDate", attempt.date)
                json.put("sendAttemptResult", attempt.result.rawValue)
                return json.finish()
            }
        )
    }

    // MARK: Test notifications

    private func requestTest(_ exchange: Exchange) async throws -> Response {
        let test = try await shop.gate.shared { try await shop.requestTest(in: exchange.scope) }
        guard let token = test?.testNotificationToken else {
            throw APIError.notificationURLNotFound.because(
                "No primary endpoint is set for the \(environment.wireName) environment of \(exchange.scope.app)."
            )
        }
        var json = JSONWriter()
        json.put("testNotificationToken", token)
        return .json(json.finish())
    }

    private func testStatus(_ exchange: Exchange) async throws -> Response {
        let token = try Self.testToken(exchange.parameter)
        guard let entry = try await shop.test(of: token, in: exchange.scope) else {
            throw APIError.testNotificationNotFound.because(
                "No test notification of this app and environment has this token."
            )
        }
        guard exchange.now <= Period(6, .month).end(from: entry.signedDate) else {
            throw APIError.testNotificationNotFound.because("The test notification is older than six months.")
        }
        let delivery = try await shop.storage.deliveries(of: [entry.id], to: EndpointRecord.primary)[entry.id]
        guard let delivery, !delivery.attempts.isEmpty else {
            throw APIError.testNotificationNotFound.because("The first attempt to send the test has not ended yet.")
        }
        guard let test = try await shop.signed([entry]).first else {
            throw APIError.testNotificationNotFound.because("The test notification was deleted.")
        }
        var json = JSONWriter(capacity: 16_384)
        try put(test, delivery.attempts, in: &json)
        return .json(json.finish())
    }

    /// Checks a test token and returns it in lower case: a UUID, or a UUID, `_` and milliseconds.
    private static func testToken(_ text: String) throws -> String {
        let parts = text.split(separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard let uuid = parts.first.flatMap({ UUIDText.canonical(String($0)) }) else {
            throw APIError.invalidTestNotificationToken.because("\"\(text.prefix(64))\" does not begin with a UUID.")
        }
        guard parts.count > 1 else { return uuid }
        guard (1...18).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw APIError.invalidTestNotificationToken.because(
                "\"\(text.prefix(64))\" must be a UUID, or a UUID, an underscore and milliseconds."
            )
        }
        return "\(uuid)_\(parts[1])"
    }
}

/// The filters of a history request, from its body.
private struct NotificationFilter {
    let start: Timestamp
    let end: Timestamp
    let type: String?
    let subtype: String?
    /// A transaction id of a customer, as written in the request.
    let transaction: String?
    let onlyFailures: Bool

    /// The values that must be the same in a request with a pagination token as in the first request.
    var words: [String?] {
        [String(start.milliseconds), String(end.milliseconds), type, subtype, transaction, String(onlyFailures)]
    }

    /// Reads the filters of a body, and refuses invalid values.
    ///
    /// - Parameters:
    ///   - oldest: the start of the history, for the explanation.
    ///   - accepted: the earliest start date that is accepted.
    init(_ body: RequestBody, oldest: Timestamp, accepted: Timestamp) throws {
        start = try Self.date("startDate", body, .invalidStartDate)
        guard start >= accepted else {
            throw APIError.startDateTooFarInPast.because(
                "startDate is \(start.iso8601); the history goes back to \(oldest.iso8601)."
            )
        }
        end = try Self.date("endDate", body, .invalidEndDate)
        guard start < end else {
            throw APIError.startDateAfterEndDate.because(
                "startDate is \(start.iso8601) and endDate is \(end.iso8601); startDate must be earlier."
            )
        }
        (type, subtype) = try Self.notice(body)
        let alias = body["originalTransactionId"] == nil ? nil : "originalTransactionId"
        if let key = body["transactionId"] == nil ? alias : "transactionId" {
            guard type == nil else {
                throw APIError.multipleFiltersSupplied.because("\(key) and notificationType cannot be combined.")
            }
            guard let text = body.text(key) else {
                throw APIError.invalidTransactionID.because("\(body.words(key)); it must be a string of digits.")
            }
            transaction = text
        } else {
            transaction = nil
        }
        guard body["onlyFailures"] == nil || body.flag("onlyFailures") != nil else {
            throw APIError.malformed("\(body.words("onlyFailures")); it must be true or false.")
        }
        onlyFailures = body.flag("onlyFailures") ?? false
    }

    private static func date(_ key: String, _ body: RequestBody, _ error: APIError) throws -> Timestamp {
        guard let milliseconds = body.number(key), abs(milliseconds / 2) < 500_000_000_000_000_000 else {
            throw error.because("\(body.words(key)); it must be milliseconds since 1970.")
        }
        return Timestamp(milliseconds: milliseconds)
    }

    private static func notice(_ body: RequestBody) throws -> (type: String?, subtype: String?) {
        func refusal(_ words: String) -> APIError { .invalidNotificationType.because(words) }
        guard body["notificationType"] != nil else {
            guard body["notificationSubtype"] == nil else {
                throw refusal("notificationSubtype needs a notificationType.")
            }
            return (nil, nil)
        }
        guard let type = body.text("notificationType").flatMap(NotificationType.init) else {
            throw refusal("\(body.words("notificationType")), which is not a notification type of version 2.")
        }
        guard body["notificationSubtype"] != nil else { return (type.rawValue, nil) }
        let subtype = body.text("notificationSubtype").flatMap(NotificationSubtype.init)
        guard let subtype, type.subtypes.contains(subtype) else {
            let known = type.subtypes.compactMap { $0?.rawValue }.joined(separator: ", ")
            throw refusal(
                "\(body.words("notificationSubtype")); subtypes of \(type.rawValue): \(known.isEmpty ? "none" : known)."
            )
        }
        return (type.rawValue, subtype.rawValue)
    }
}
