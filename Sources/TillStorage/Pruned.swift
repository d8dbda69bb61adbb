import TillCore

/// A query for notifications of an app's environment that are old enough to delete, in the order of their signed dates.
package struct PruneQuery: Sendable {
    /// The app and the environment.
    package var scope: AccountScope
    /// Signed before this date.
    package var signedBefore: Timestamp
    /// For test notifications: signed before this date.
    package var testsBefore: Timestamp
    /// Only numbers below this one; nil means any.
    package var below: NotificationID?
    /// The last notification of the previous page.
    package var after: (signedDate: Timestamp, id: NotificationID)?
    /// The maximum number of notifications.
    package var limit: Int

    /// Everything that was signed before an instant.
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
    /// Its number.
    package let id: NotificationID
    /// When it was signed.
    package let signedDate: Timestamp
    /// How many deliveries it has, finished or pending.
    package let deliveries: Int
    /// How many are pending; such a notification must stay.
    package let pending: Int

    /// A notification that is old enough to delete.
    package init(id: NotificationID, signedDate: Timestamp, deliveries: Int, pending: Int) {
        self.id = id
        self.signedDate = signedDate
        self.deliveries = deliveries
        self.pending = pending
    }
}
