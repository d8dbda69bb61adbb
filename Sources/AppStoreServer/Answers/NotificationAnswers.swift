/// A page of the notification history.
public struct NotificationHistoryResponse: AppStorePage {
    /// The object as it was sent.
    public let raw: RawObject
    /// Whether there are more pages.
    public let hasMore: Bool
    /// The notifications, at most 20.
    public let notificationHistory: [NotificationHistoryResponseItem]

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        hasMore = try raw.required("hasMore")
        notificationHistory = try raw.list("notificationHistory")
    }

    /// The token for the next page, together with the same request.
    public var paginationToken: String? { raw["paginationToken"] }

    /// The notifications.
    public var elements: [NotificationHistoryResponseItem] { notificationHistory }
    /// The token for the next page.
    public var position: String? { paginationToken }
}

/// A notification with the attempts to send it.
public struct NotificationHistoryResponseItem: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The notification, with its original signature.
    public let signedPayload: SignedNotification

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        signedPayload = try raw.required("signedPayload")
    }

    /// The attempts, at most six.
    public var sendAttempts: [SendAttemptItem] { raw["sendAttempts"] ?? [] }
    /// The result of the first attempt, which older versions of the API send in place of `sendAttempts`.
    public var firstSendAttemptResult: OpenValue<SendAttemptResult>? { raw["firstSendAttemptResult"] }
}

/// An attempt to send a notification.
public struct SendAttemptItem: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// When the attempt was made.
    public var attemptDate: Timestamp? { raw["attemptDate"] }
    /// Its result.
    public var sendAttemptResult: OpenValue<SendAttemptResult>? { raw["sendAttemptResult"] }
}

/// The App Store sends a test notification.
public struct SendTestNotificationResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The token with which its status can be asked.
    public let testNotificationToken: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        testNotificationToken = try raw.required("testNotificationToken")
    }
}

/// The status of a test notification, which has the same keys as an entry of the notification history.
public typealias CheckTestNotificationResponse = NotificationHistoryResponseItem
