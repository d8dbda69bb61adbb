/// Lists notifications, newest first, in pages. More pages may follow a short or empty page.
public struct ListNotifications: EnvironmentRequest {
    public typealias Answer = NotificationList
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/notifications",
        tag: .notifications
    )
    public static let limits = [ControlLimit.range(CodingKeys.limit, 1...100)]

    public var app: AppEnvironment
    /// Only this type: DID_RENEW, or with a subtype EXPIRED/VOLUNTARY.
    public var type: String?
    /// Only notifications about this customer.
    public var customer: String?
    /// Whether to list only notifications with a delivery that failed or will be retried.
    public var failed: Bool?
    /// Only notifications sent to this endpoint.
    public var endpoint: String?
    /// Only created at or after this time, in milliseconds since 1970.
    public var from: Timestamp?
    /// Only created at or before this time, in milliseconds since 1970.
    public var to: Timestamp?
    /// The value of `next` from the previous page.
    public var after: String?
    /// The maximum number of results; 20 by default.
    public var limit: Int?

    public init(
        app: AppEnvironment,
        type: String? = nil,
        customer: String? = nil,
        failed: Bool? = nil,
        endpoint: String? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        after: String? = nil,
        limit: Int? = nil
    ) {
        self.app = app
        self.type = type
        self.customer = customer
        self.failed = failed
        self.endpoint = endpoint
        self.from = from
        self.to = to
        self.after = after
        self.limit = limit
    }
}

/// Sends a notification of any type and subtype, with the current data. Changes no data.
public struct TriggerNotification: EnvironmentRequest, SettlingRequest {
    public typealias Answer = NotificationInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/notifications",
        tag: .notifications,
        status: 201
    )

    public var app: AppEnvironment
    /// The notification type. A TEST without the other properties is sent to the primary endpoint only, as by Apple's
    /// Request a Test Notification.
    public var type: NotificationType
    /// The subtype.
    public var subtype: NotificationSubtype?
    /// The transaction id; only for types about a transaction.
    public var transactionId: String?
    /// The customer of a RESCIND_CONSENT notification.
    public var customer: String?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        type: NotificationType,
        subtype: NotificationSubtype? = nil,
        transactionId: String? = nil,
        customer: String? = nil
    ) {
        self.app = app
        self.type = type
        self.subtype = subtype
        self.transactionId = transactionId
        self.customer = customer
    }
}

/// Resends a notification, or all notifications created between two times, with exactly the same bytes.
public struct ResendNotifications: EnvironmentRequest, SettlingRequest {
    public typealias Answer = ResendInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/notifications/resend",
        tag: .notifications
    )
    public static let limits: [ControlLimit] = [.clockTime(CodingKeys.from), .clockTime(CodingKeys.to)]

    public var app: AppEnvironment
    /// The id of the notification. Give either this, or `from` and `to`; anything else is refused: 400 `bad_range`.
    public var notificationUUID: String?
    /// Only created at or after this time, in milliseconds since 1970.
    public var from: Timestamp?
    /// Only created at or before this time, in milliseconds since 1970.
    public var to: Timestamp?
    /// The name of the endpoint; by default all endpoints.
    public var endpoint: String?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        notificationUUID: String? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        endpoint: String? = nil
    ) {
        self.app = app
        self.notificationUUID = notificationUUID
        self.from = from
        self.to = to
        self.endpoint = endpoint
    }
}

/// Shows a notification with its decoded payloads and every delivery attempt.
public struct GetNotification: EnvironmentRequest {
    public typealias Answer = NotificationInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/notifications/{notificationUUID}",
        tag: .notifications
    )

    public var app: AppEnvironment
    /// The id of the notification.
    public var notificationUUID: String

    public init(app: AppEnvironment, notificationUUID: String) {
        self.app = app
        self.notificationUUID = notificationUUID
    }
}

/// Waits for the next notification that the client must forward as the primary endpoint.
public struct Listen: EnvironmentRequest {
    public typealias Answer = DeliveryOfferInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/listen",
        tag: .notifications,
        scope: .operate
    )
    public static let limits = [ControlLimit.range(CodingKeys.wait, 0...50)]

    public var app: AppEnvironment
    /// How many seconds to wait; 25 by default.
    public var wait: Int?

    public init(app: AppEnvironment, wait: Int? = nil) {
        self.app = app
        self.wait = wait
    }
}

/// Reports the result of a forwarded notification: `status`, or `result` if the local server returned no status.
public struct AnswerDelivery: EnvironmentRequest {
    public typealias Answer = NoAnswer
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/listen/{deliveryToken}",
        tag: .notifications
    )
    public static let limits = [ControlLimit.range(CodingKeys.status, 100...599)]

    public var app: AppEnvironment
    /// The token from the listen operation.
    public var deliveryToken: String
    /// The HTTP status of the local server's answer.
    public var status: Int?
    /// The error, if the local server returned no status.
    public var result: SendAttemptResult?

    public init(app: AppEnvironment, deliveryToken: String, status: Int? = nil, result: SendAttemptResult? = nil) {
        self.app = app
        self.deliveryToken = deliveryToken
        self.status = status
        self.result = result
    }
}
