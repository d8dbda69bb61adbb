import TillCore

/// Which notifications of an app's environment are old enough to go, in the order in which they were signed.
package struct PruneQuery: Sendable {
    /// The app and the environment.
    package var scope: AccountScope
    /// Signed before.
    package var signedBefore: Timestamp
    /// Tests signed before.
    package var testsBefore: Timestamp
    /// With a number below this one; nil is any.
    package var below: NotificationID?
    /// The last one that was looked at; the page begins after it.
    package var after: (signedDate: Timestamp, id: NotificationID)?
    /// At most so many.
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

/// A notification that is old enough to go.
package struct Prunable: Equatable, Sendable {
    /// Its number.
    package let id: NotificationID
    /// When it was signed.
    package let signedDate: Timestamp
    /// Its deliveries, done or owed.
    package let deliveries: Int
    /// Those that are owed still, so that it must stay.
    package let owed: Int

    /// A notification that is old enough to go.
    package init(id: NotificationID, signedDate: Timestamp, deliveries: Int, owed: Int) {
        self.id = id
        self.signedDate = signedDate
        self.deliveries = deliveries
        self.owed = owed
    }
}
