import TillJSON

#if Server || AppStoreServer
import AppStoreServer
#endif

/// Reads the body of a notification, and refuses what is not a genuine notification of the app.
struct NotificationReader: Sendable {
    private let bundleId: String
    #if Server || AppStoreServer
    private let verifier: SignedDataVerifier
    #endif

    init(_ app: Till.App) throws {
        bundleId = app.bundleId
        #if Server || AppStoreServer
        verifier = try app.verifier()
        #endif
    }

    /// The notification in the body of a request.
    ///
    /// - Throws: an error that says why the notification is refused.
    func notification(in body: [UInt8]) async throws -> Till.Notification {
        guard let text = try? JSONTree.parse(body)["signedPayload"]?.text else {
            throw TillTestingError(
                "The body has no signedPayload: \(String(decoding: body.prefix(200), as: UTF8.self))"
            )
        }
        #if Server || AppStoreServer
        _ = try await verifier.verify(SignedNotification(text))
        #endif
        let notification = try Till.Notification(decoding: text)
        guard notification.bundleId == bundleId else {
            let found = notification.bundleId ?? "missing"
            throw TillTestingError("The bundle id of \(notification) is \(found) instead of \(bundleId).")
        }
        return notification
    }
}
