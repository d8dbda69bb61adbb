import TillCore

/// A query for notifications of an app's environment that are old enough to delete, ordered by their signed dates.
package struct PruneQuery: Sendable {
    /// The app and the environment of the notifications.
    package var scope: AccountScope
    /// Only notifications that were signed before this date.
    package var signedBefore: Timestamp
    /// Only test notifications that were signed before this date; it replaces `signedBefore` for them.
    package var testsBefore: Timestamp
    /// Only notifications with a number below this one; nil for no limit.
    package var below: NotificationID?
    /// The last notification of the previous page; nil for the first page.
    package var after: (signedDate: Timestamp, id: NotificationID)?
    /// The maximum number of notifications in the page.
    package var limit: Int

    /// A query for notifications that were signed before an instant.
    package init(
        scope: AccountScope,
        signedBefore: Timestamp,
        testsBefore: Timestamp? = nil,
        below: NotificationID? = nil,
        limit: Int = 200
    ) {
        self.scope = scope
        self.signedBefore = signedBefore
        self.testsBefore = testsBefore ?? signedBefore
        self.below = below
        self.limit = limit
    }
}

/// A notification that is old enough to delete.
package struct Prunable: Equatable, Sendable {
    /// The number of the notification.
    package let id: NotificationID
    /// The signed date of the notification.
    package let signedDate: Timestamp
    /// The number of deliveries, both finished and pending.
    package let deliveries: Int
    /// The number of pending deliveries. A notification with pending deliveries must not be deleted.
    package let pending: Int

    /// A notification that is old enough to delete.
    package init(id: NotificationID, signedDate: Timestamp, deliveries: Int, pending: Int) {
        self.id = id
        self.signedDate = signedDate
        self.deliveries = deliveries
        self.pending = pending
    }
}
