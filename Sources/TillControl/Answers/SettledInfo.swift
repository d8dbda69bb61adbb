/// The deliveries that an operation caused, at the end of the wait. On a frozen clock, the answer waits only for first
/// attempts, because the clock does not reach the dates of the retries.
public struct SettledInfo: ControlObject {
    /// The number of deliveries that succeeded.
    public var delivered: Int
    /// The number of deliveries that have not succeeded yet, or failed.
    public var pending: Int
    /// The first 20 of the pending deliveries, oldest notification first.
    public var pendingDeliveries: [PendingDeliveryInfo]

    public init(delivered: Int, pending: Int, pendingDeliveries: [PendingDeliveryInfo]) {
        self.delivered = delivered
        self.pending = pending
        self.pendingDeliveries = pendingDeliveries
    }
}

/// A delivery that has not succeeded yet, or failed.
public struct PendingDeliveryInfo: ControlObject {
    public static let limits = [ControlLimit.format(CodingKeys.notificationUUID, "uuid")]

    /// The id of the notification.
    public var notificationUUID: String
    /// The type of the notification, with its subtype after a slash.
    public var notification: String
    /// The name of the endpoint.
    public var endpoint: String
    /// The result of the last attempt; absent if no attempt has ended.
    public var sendAttemptResult: SendAttemptResult?
    /// When the next attempt is due on the customer's clock; absent if there are no more attempts.
    public var nextAttemptDate: Timestamp?
    /// True if the endpoint is paused; otherwise absent.
    public var paused: Bool?

    public init(
        notificationUUID: String,
        notification: String,
        endpoint: String,
        sendAttemptResult: SendAttemptResult? = nil,
        nextAttemptDate: Timestamp? = nil
    ) {
        self.notificationUUID = notificationUUID
        self.notification = notification
        self.endpoint = endpoint
        self.sendAttemptResult = sendAttemptResult
        self.nextAttemptDate = nextAttemptDate
    }
}
