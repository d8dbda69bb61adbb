import TillCore

/// The id of a notification. Its number is counter × 1,024 + partition, so it contains the partition.
package struct NotificationID: Hashable, Comparable, Sendable {
    /// The number. Within an account, later notifications have higher numbers.
    package let number: Int64

    /// The id with an existing number.
    package init(_ number: Int64) { self.number = number }

    /// The partition of the notification, which is the partition of its account.
    package var partition: Partition { Partition(of: number) }

    package static func < (left: NotificationID, right: NotificationID) -> Bool { left.number < right.number }
}

/// A notification. It is signed once, at the latest before it is first sent or shown, and every attempt sends the same
/// signed payload.
package struct OutboxEntry: Equatable, Sendable {
    /// The id, which contains the partition.
    package var id: NotificationID
    /// The app and the environment of the notification.
    package var scope: AccountScope
    /// The account; nil for notifications about the app, such as tests and summaries.
    package var account: AccountID?
    /// The original transaction; nil if there is none. First attempts for the same original transaction are made in
    /// order.
    package var original: TransactionID?
    /// The transaction that the notification is about; nil if there is none.
    package var transaction: TransactionID?
    /// `notificationUUID` in lower case.
    package var uuid: String
    /// `notificationType`.
    package var type: String
    /// `subtype`; nil if the notification has none.
    package var subtype: String?
    /// Whether an operator requested the notification, so that no event of the ledger caused it.
    package var isTriggered: Bool
    /// The signed date of the notification and of its signed parts.
    package var signedDate: Timestamp
    /// The payloads, with their signatures if there are any.
    package var content: NotificationContent
    /// The span that caused the notification, for its first delivery by this process; not stored.
    package var trace: TraceContext?

    /// A notification with its parts.
    package init(
        id: NotificationID,
        scope: AccountScope,
        account: AccountID?,
        original: TransactionID?,
        transaction: TransactionID?,
        uuid: String,
        type: String,
        subtype: String?,
        isTriggered: Bool,
        signedDate: Timestamp,
        content: NotificationContent
    ) {
        self.id = id
        self.scope = scope
        self.account = account
        self.original = original
        self.transaction = transaction
        self.uuid = uuid
        self.type = type
        self.subtype = subtype
        self.isTriggered = isTriggered
        self.signedDate = signedDate
        self.content = content
    }
}

/// The delivery of a notification to one endpoint.
package struct Delivery: Equatable, Sendable {
    package var notification: NotificationID
    /// `primary`, or the name of another endpoint of the app's environment.
    package var endpoint: String
    /// The app and the environment of the delivery.
    package var scope: AccountScope { clock.scope }
    /// The clock that determines when the delivery is due.
    package var clock: ClockName
    /// The notification's account; nil for a notification about the app.
    package var account: AccountID?
    /// The original transaction; nil if there is none. First attempts for the same original transaction are made in
    /// order.
    package var original: TransactionID?
    /// `notificationType`, which notification histories filter by.
    package var type: String
    /// `subtype`, which notification histories filter by; nil if the notification has none.
    package var subtype: String?
    /// The signed date, which determines the order of notification histories.
    package var signedDate: Timestamp
    /// The instant of the next attempt on that clock; nil if the delivery succeeded or was abandoned.
    package var due: Timestamp?
    /// The instant for which the last attempt was scheduled, until the attempt is recorded; not stored. If the stored
    /// delivery has another date by then, it keeps that date.
    package var attemptDue: Timestamp?
    /// The attempts so far, oldest first.
    package var attempts: [SendAttempt]
    /// Whether an attempt succeeded.
    package var isDelivered: Bool

    /// A delivery without attempts.
    package init(of entry: OutboxEntry, to endpoint: String, clock: ClockName, due: Timestamp?) {
        notification = entry.id
        self.endpoint = endpoint
        self.clock = clock
        account = entry.account
        original = entry.original
        type = entry.type
        subtype = entry.subtype
        signedDate = entry.signedDate
        self.due = due
        attempts = []
        isDelivered = false
    }
}

/// A query for notifications of an app's environment, ordered by their signed dates.
package struct NotificationQuery: Sendable {
    /// The kinds of notifications to include. Each kind is a subset of the previous kind.
    package enum Kind: Int64, Sendable {
        /// All notifications.
        case every
        /// All notifications except those of version 1, which repeat the same events.
        case signed
        /// Only notifications of version 2 that an event of the ledger caused, without those that an operator
        /// requested.
        case caused
    }

    /// The app and the environment of the notifications.
    package var scope: AccountScope
    /// Only notifications with attempts at this endpoint; nil for all notifications.
    package var endpoint: String?
    /// Only notifications that were signed at or after this date.
    package var from: Timestamp?
    /// Only notifications that were signed at or before this date.
    package var to: Timestamp?
    /// Only notifications of this `notificationType`; nil for all types.
    package var type: String?
    /// Only notifications of this `subtype`. If `isSubtypeFixed` is set, nil selects notifications without a subtype.
    package var subtype: String?
    /// Whether the query filters by `subtype`.
    package var isSubtypeFixed: Bool
    package var account: AccountID?
    /// Only notifications that were not delivered.
    package var onlyFailures: Bool
    /// The kinds of notifications to include. It is not used together with `endpoint`.
    package var kind = Kind.every
    /// The last notification of the previous page; nil for the first page.
    package var after: (signedDate: Timestamp, id: NotificationID)?
    /// Whether the newest notification is first. In that case the page continues with older notifications than `after`.
    package var isDescending: Bool
    /// The maximum number of notifications in the result.
    package var limit: Int

    /// A query for all notifications of an app's environment, oldest first.
    package init(
        scope: AccountScope,
        endpoint: String? = nil,
        from: Timestamp? = nil,
        to: Timestamp? = nil,
        type: String? = nil,
        subtype: String? = nil,
        isSubtypeFixed: Bool = false,
        account: AccountID? = nil,
        onlyFailures: Bool = false,
        after: (signedDate: Timestamp, id: NotificationID)? = nil,
        isDescending: Bool = false,
        limit: Int = 20
    ) {
        self.scope = scope
        self.endpoint = endpoint
        self.from = from
        self.to = to
        self.type = type
        self.subtype = subtype
        self.isSubtypeFixed = isSubtypeFixed
        self.account = account
        self.onlyFailures = onlyFailures
        self.after = after
        self.isDescending = isDescending
        self.limit = limit
    }
}
