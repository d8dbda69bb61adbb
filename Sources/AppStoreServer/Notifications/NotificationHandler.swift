import TillJSON
import TillVerification

/// Verifies the notifications that the App Store sends to a server, and recognizes those that were handled before.
///
/// ```swift
/// let outcome = try await handler.handle(body) { received in
///     try await database.apply(received.notification)
/// }
/// ```
///
/// The App Store repeats a notification until the server answers with a status from 200 to 206, and does not send
/// notifications in order. One handler for the requests of the App Store and for a `Reconciler` recognizes what either
/// has handled.
public struct NotificationHandler: Sendable {
    /// The maximum length of a request's body in bytes.
    public static let maxBytes = SignedDataVerifier.maxBytes + 4_096

    private let verifier: SignedDataVerifier
    private let handled: any HandledNotifications

    /// A handler.
    ///
    /// - Parameters:
    ///   - verifier: verifies the notifications.
    ///   - handled: remembers which notifications were handled. The memory of one process is enough for a trial only.
    public init(
        verifier: SignedDataVerifier,
        handled: any HandledNotifications = HandledNotificationsInMemory()
    ) {
        (self.verifier, self.handled) = (verifier, handled)
    }

    /// Handles the body of a request, `{"signedPayload": "…"}`.
    ///
    /// The notification counts as handled when `apply` returns. If it throws, or if the process is killed before that,
    /// the next attempt of the App Store is handled again. Two attempts at the same time may both be handled.
    ///
    /// - Parameters:
    ///   - body: the bytes of the body.
    ///   - apply: gets the notification, unless it was handled before.
    /// - Throws: `VerificationFailure` if the body is not accepted: answer with status 503 if `canRetry` is true, and
    ///   400 otherwise. The errors of `apply` and of the `HandledNotifications`.
    public func handle(
        _ body: [UInt8],
        apply: @Sendable (ReceivedNotification) async throws -> Void
    ) async throws -> HandledNotification {
        try await handle(try Self.signedPayload(of: body), apply: apply)
    }

    /// Handles a notification from elsewhere, such as one that a `Reconciler` found: one that arrived, too, is handled
    /// once.
    ///
    /// - Parameters:
    ///   - signed: the notification.
    ///   - apply: gets the notification, unless it was handled before.
    /// - Throws: `VerificationFailure` if the notification is not accepted. The errors of `apply` and of the
    ///   `HandledNotifications`.
    public func handle(
        _ signed: SignedNotification,
        apply: @Sendable (ReceivedNotification) async throws -> Void
    ) async throws -> HandledNotification {
        let notification = try await verifier.verify(signed)
        let id = notification.payload.notificationUUID
        if try await handled.contains(id) {
            return HandledNotification(notification: notification, isRepeated: true, isOutdated: false)
        }
        let date = notification.payload.signedDate ?? Timestamp(milliseconds: 0)
        let transaction = notification.originalTransactionId
        var newest: Timestamp?
        if let transaction { newest = try await handled.newestDate(of: transaction) }
        let isOutdated = newest.map { date < $0 } ?? false
        try await apply(ReceivedNotification(notification: notification, isOutdated: isOutdated))
        try await handled.insert(id, about: transaction, signedOn: date)
        return HandledNotification(notification: notification, isRepeated: false, isOutdated: isOutdated)
    }

    /// The signed payload in a body.
    private static func signedPayload(of body: [UInt8]) throws(VerificationFailure) -> SignedNotification {
        guard body.count <= maxBytes else {
            throw VerificationFailure(.malformed, .notification, "The body has more than \(maxBytes) bytes.")
        }
        guard let object = try? RawObject(utf8: body) else {
            throw VerificationFailure(.malformed, .notification, "The body is not a JSON object.")
        }
        guard let text: String = object["signedPayload"] else {
            let hint = object.keys.contains("notification_type") ? " It is a notification of version 1." : ""
            throw VerificationFailure(.malformed, .notification, "The body has no signedPayload.\(hint)")
        }
        return SignedNotification(text)
    }
}

/// A notification that was received and not handled before.
public struct ReceivedNotification: Sendable {
    /// The notification.
    public let notification: VerifiedNotification
    /// Whether a newer notification about the same original transaction was handled already. Its event is still news,
    /// but the transaction and the renewal information in it are older than those known.
    public let isOutdated: Bool
}

/// What a `NotificationHandler` did with a notification.
public struct HandledNotification: Sendable {
    /// The notification.
    public let notification: VerifiedNotification
    /// Whether it was handled before, so that nothing was done.
    public let isRepeated: Bool
    /// Whether a newer notification about the same original transaction was handled before.
    public let isOutdated: Bool
}
