import TillVerification

/// Remembers which notifications were handled.
///
/// A backend with a database implements it with two tables: the ids of notifications, with a unique index, and for each
/// original transaction the date of the newest notification. If `insert` runs in the database transaction that applies
/// the notification, each notification is applied exactly once.
public protocol HandledNotifications: Sendable {
    /// Whether a notification was handled.
    func contains(_ notificationUUID: String) async throws -> Bool
    /// The `signedDate` of the newest notification about an original transaction that was handled; nil for none.
    func newestDate(of originalTransactionId: String) async throws -> Timestamp?
    /// Remembers a notification that was handled. The newest date of its original transaction never goes back.
    ///
    /// - Parameters:
    ///   - notificationUUID: the id of the notification.
    ///   - originalTransactionId: nil for a notification about none.
    ///   - date: the `signedDate` of the notification.
    func insert(_ notificationUUID: String, about originalTransactionId: String?, signedOn date: Timestamp) async throws
}

/// Remembers the last notifications in memory, for one process. What it forgets is handled again.
public actor HandledNotificationsInMemory: HandledNotifications {
    private var ids: TwoGenerationCache<String, Void>
    private var newest: TwoGenerationCache<String, Timestamp>

    /// An empty memory.
    ///
    /// - Parameter limit: the number of notifications, and of original transactions, that are remembered.
    public init(limit: Int = 100_000) {
        ids = TwoGenerationCache(limit: limit)
        newest = TwoGenerationCache(limit: limit)
    }

    /// Whether a notification was handled.
    public func contains(_ notificationUUID: String) -> Bool { ids.value(of: notificationUUID) != nil }

    /// The date of the newest notification about an original transaction.
    public func newestDate(of originalTransactionId: String) -> Timestamp? { newest.value(of: originalTransactionId) }

    /// Remembers a notification.
    public func insert(_ notificationUUID: String, about originalTransactionId: String?, signedOn date: Timestamp) {
        ids.keep((), of: notificationUUID)
        guard let originalTransactionId else { return }
        let known = newest.value(of: originalTransactionId) ?? date
        newest.keep(max(known, date), of: originalTransactionId)
    }
}
