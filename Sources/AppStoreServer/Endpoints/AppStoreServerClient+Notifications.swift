import TillJSON

/// The notification history and test notifications (docs/api/notifications.md).
extension AppStoreServerClient {
    /// Get Notification History: a page of the notifications of the app. `notifications(from:to:filter:)` reads all
    /// pages. `.automatic` asks production; use `at(.sandbox)` for the sandbox.
    ///
    /// - Parameters:
    ///   - request: which notifications; the same for all pages.
    ///   - paginationToken: the token of the page before; nil for the first page.
    public func notificationHistory(
        _ request: NotificationHistoryRequest,
        paginationToken: String? = nil
    ) async throws -> Answer<NotificationHistoryResponse> {
        try await perform(
            APICall(
                .post,
                ["inApps", "v1", "notifications", "history"],
                query: [(name: "paginationToken", value: paginationToken)],
                body: request.body
            )
        )
    }

    /// The notifications of the app. Pages are fetched when they are needed.
    ///
    /// - Parameters:
    ///   - start: the earliest date: at most 180 days ago, in the sandbox 30 days.
    ///   - end: the end, which is later; nil for everything that the server has, also what is dated in the future
    ///     because a clock of Till was advanced.
    ///   - filter: which notifications.
    ///   - paginationToken: the position of a walk with the same dates and filter, to go on after it.
    public func notifications(
        from start: Timestamp,
        to end: Timestamp? = nil,
        filter: NotificationFilter = .all,
        paginationToken: String? = nil
    ) -> PagedSequence<NotificationHistoryResponse> {
        let end = end ?? NotificationHistoryRequest.noEnd
        let request = NotificationHistoryRequest(startDate: start, endDate: end, filter: filter)
        return PagedSequence(client: self, position: paginationToken) { client, token in
            try await client.notificationHistory(request, paginationToken: token)
        }
    }

    /// Request a Test Notification: the App Store sends a notification `TEST` to your server. `.automatic` asks
    /// production. It is not sent again after a failure, unless the request certainly did not arrive.
    public func requestTestNotification() async throws -> Answer<SendTestNotificationResponse> {
        var call = APICall<SendTestNotificationResponse>(.post, ["inApps", "v1", "notifications", "test"])
        call.isRepeatable = false
        return try await perform(call)
    }

    /// Get Test Notification Status.
    ///
    /// - Throws: `AppStoreServerError` with the code `testNotificationNotFound` until the first attempt has ended: ask
    ///   again some seconds later.
    public func testNotificationStatus(_ token: String) async throws -> Answer<CheckTestNotificationResponse> {
        try await perform(APICall(.get, ["inApps", "v1", "notifications", "test", token]))
    }
}

/// Which notifications a history contains.
public enum NotificationFilter: Hashable, Sendable {
    /// All notifications.
    case all
    /// Notifications that were not delivered so far.
    case onlyFailures
    /// Those of a customer, by any of the customer's transaction ids.
    case transactionId(String, onlyFailures: Bool = false)
    /// Those of a type, and of a subtype unless it is nil.
    case type(OpenValue<NotificationType>, OpenValue<NotificationSubtype>? = nil, onlyFailures: Bool = false)
}

/// A request of the notification history.
public struct NotificationHistoryRequest: Hashable, Sendable {
    /// An end date that no notification reaches. Apple's server takes its own time instead of a date in the future.
    static let noEnd = Timestamp(milliseconds: 4_102_444_800_000)

    /// The earliest date.
    public var startDate: Timestamp
    /// The end.
    public var endDate: Timestamp
    /// Which notifications.
    public var filter: NotificationFilter

    /// A request.
    public init(startDate: Timestamp, endDate: Timestamp, filter: NotificationFilter = .all) {
        (self.startDate, self.endDate, self.filter) = (startDate, endDate, filter)
    }

    /// The body.
    var body: JSONTree {
        var (customer, type, subtype, isFailure): (String?, String?, String?, Bool) = (nil, nil, nil, false)
        switch filter {
        case .all: break
        case .onlyFailures: isFailure = true
        case .transactionId(let id, let onlyFailures): (customer, isFailure) = (id, onlyFailures)
        case .type(let name, let detail, let onlyFailures):
            (type, subtype, isFailure) = (name.rawValue, detail?.rawValue, onlyFailures)
        }
        return .members([
            "startDate": .count(startDate.milliseconds), "endDate": .count(endDate.milliseconds),
            "transactionId": .text(customer), "notificationType": .text(type), "notificationSubtype": .text(subtype),
            "onlyFailures": isFailure ? .bool(true) : nil,
        ])
    }
}
