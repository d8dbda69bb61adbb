/// A notification. The payloads are only in the answer about a single notification.
public struct NotificationInfo: SettledAnswer {
    public static let limits: [ControlLimit] = [
        .format(CodingKeys.notificationUUID, "uuid"), .range(CodingKeys.version, 1...2),
    ]

    /// The id of the notification.
    public var notificationUUID: String
    /// The type.
    public var notificationType: String
    /// The version of the notification: 1 or 2.
    public var version: Int
    /// The subtype.
    public var subtype: String?
    /// When the notification was created, in milliseconds since 1970.
    public var signedDate: Timestamp
    /// The customer whom the notification is about.
    public var customer: String?
    /// The original transaction id.
    public var originalTransactionId: String?
    /// The transaction id.
    public var transactionId: String?
    /// Whether it was sent by hand, without an event.
    public var isTriggered: Bool
    /// The delivery to each endpoint.
    public var deliveries: [DeliveryInfo]
    /// The signed payload exactly as sent; absent for version 1.
    public var signedPayload: String?
    /// The decoded payload.
    public var payload: JSONObject?
    /// The decoded payload of its signedTransactionInfo.
    public var transactionInfo: JSONObject?
    /// The decoded payload of its signedRenewalInfo.
    public var renewalInfo: JSONObject?
    /// The token for Apple's Get Test Notification Status; only in the answer that sent a TEST notification.
    public var testNotificationToken: String?
    public var settled: SettledInfo?

    public init(
        notificationUUID: String,
        notificationType: String,
        version: Int,
        subtype: String? = nil,
        signedDate: Timestamp,
        customer: String? = nil,
        originalTransactionId: String? = nil,
        transactionId: String? = nil,
        isTriggered: Bool,
        deliveries: [DeliveryInfo],
        signedPayload: String? = nil,
        payload: JSONObject? = nil,
        transactionInfo: JSONObject? = nil,
        renewalInfo: JSONObject? = nil,
        testNotificationToken: String? = nil
    ) {
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.version = version
        self.subtype = subtype
        self.signedDate = signedDate
        self.customer = customer
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.isTriggered = isTriggered
        self.deliveries = deliveries
        self.signedPayload = signedPayload
        self.payload = payload
        self.transactionInfo = transactionInfo
        self.renewalInfo = renewalInfo
        self.testNotificationToken = testNotificationToken
    }
}

/// The delivery of a notification to one endpoint.
public struct DeliveryInfo: ControlObject {
    /// The name of the endpoint.
    public var endpoint: String
    /// Whether the notification was delivered.
    public var isDelivered: Bool
    /// When the next attempt is due; absent if none is planned.
    public var nextAttemptDate: Timestamp?
    /// The delivery attempts, oldest first.
    public var attempts: [DeliveryAttemptInfo]

    public init(
        endpoint: String,
        isDelivered: Bool,
        nextAttemptDate: Timestamp? = nil,
        attempts: [DeliveryAttemptInfo]
    ) {
        self.endpoint = endpoint
        self.isDelivered = isDelivered
        self.nextAttemptDate = nextAttemptDate
        self.attempts = attempts
    }
}

/// A delivery attempt.
public struct DeliveryAttemptInfo: ControlObject {
    /// When it was made, on the environment's clock.
    public var attemptDate: Timestamp
    /// The result of the attempt.
    public var sendAttemptResult: SendAttemptResult
    /// The HTTP status of the answer.
    public var status: Int?
    /// The duration in milliseconds of real time.
    public var milliseconds: Int
    /// Why Till refused to send to the endpoint.
    public var reason: String?

    public init(
        attemptDate: Timestamp,
        sendAttemptResult: SendAttemptResult,
        status: Int? = nil,
        milliseconds: Int,
        reason: String? = nil
    ) {
        self.attemptDate = attemptDate
        self.sendAttemptResult = sendAttemptResult
        self.status = status
        self.milliseconds = milliseconds
        self.reason = reason
    }
}

/// A page of notifications.
public struct NotificationList: ControlObject {
    /// The notifications on the page, newest first.
    public var notifications: [NotificationInfo]
    /// The value of `after` for the next page; absent on the last page.
    public var next: String?

    public init(notifications: [NotificationInfo], next: String? = nil) {
        self.notifications = notifications
        self.next = next
    }
}

/// The result of resending.
public struct ResendInfo: SettledAnswer {
    /// The number of deliveries now pending.
    public var pending: Int
    public var settled: SettledInfo?

    public init(pending: Int) {
        self.pending = pending
    }
}

/// The next notification for the client to forward; an empty object if none was due in time.
public struct DeliveryOfferInfo: ControlObject {
    /// The token with which the client reports the result of the attempt.
    public var deliveryToken: String?
    /// The id of the notification.
    public var notificationUUID: String?
    /// The type of the notification.
    public var notificationType: String?
    /// The subtype of the notification.
    public var subtype: String?
    /// The body that the client posts to the local server: JSON, byte for byte.
    public var body: String?

    public init(
        deliveryToken: String? = nil,
        notificationUUID: String? = nil,
        notificationType: String? = nil,
        subtype: String? = nil,
        body: String? = nil
    ) {
        self.deliveryToken = deliveryToken
        self.notificationUUID = notificationUUID
        self.notificationType = notificationType
        self.subtype = subtype
        self.body = body
    }
}
