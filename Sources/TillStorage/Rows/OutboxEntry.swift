import TillCore

/// The number of a notification: counter × 1,024 + partition, so that the partition follows from it.
package struct NotificationID: Hashable, Comparable, Sendable {
    /// Rises, within an account, in the order in which notifications are made.
    package let number: Int64

    /// An existing number.
    package init(_ number: Int64) { self.number = number }

    /// The partition of the notification: that of its account.
    package var partition: Partition { Partition(of: number) }

    package static func < (left: NotificationID, right: NotificationID) -> Bool { left.number < right.number }
}

/// A notification, signed once and never again.
///
/// The certificates are most of a sent body, so they are stored once for each chain; the sent body is reassembled byte
/// for byte (docs/internals/decisions/07-outbox.md).
package struct OutboxEntry: Equatable, Sendable {
    /// Contains the partition.
    package let id: NotificationID
    /// The app and the environment.
    package let scope: AccountScope
    /// Nil for notifications about the app: tests and summaries.
    package let account: AccountID?
    /// First attempts for one original transaction are made in order.
    package let original: TransactionID?
    /// The transaction that it is about.
    package let transaction: TransactionID?
    /// `notificationUUID`, lower case.
    package let uuid: String
    /// `notificationType`.
    package let type: String
    /// `subtype`; nil where there is none.
    package let subtype: String?
    /// Whether it was triggered by request, without a cause in the ledger.
    package let isTriggered: Bool
    /// The signed date of all its parts.
    package let signedDate: Timestamp
    /// The outer payload, with its signature over the complete payload. A byte 1 is a placeholder for the signed
    /// transaction (or app transaction), a byte 2 for the signed renewal info; such bytes never occur in JSON.
    package let body: SignedPart
    /// The transaction; for a withdrawn consent, the app transaction.
    package let transactionInfo: SignedPart?
    /// Only for auto-renewables.
    package let renewalInfo: SignedPart?
    /// The chain that signed all parts; nil for version 1, which is not signed.
    package let chain: String?

    /// A notification with all its parts.
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
        body: SignedPart,
        transactionInfo: SignedPart?,
        renewalInfo: SignedPart?,
        chain: String?
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
        self.body = body
        self.transactionInfo = transactionInfo
        self.renewalInfo = renewalInfo
        self.chain = chain
    }
}

/// A payload and its signature, without the JWS header.
package struct SignedPart: Equatable, Sendable {
    /// UTF-8 JSON.
    package let payload: [UInt8]
    /// 64 bytes, r then s.
    package let signature: [UInt8]

    /// A payload and its signature.
    package init(payload: [UInt8], signature: [UInt8]) {
        self.payload = payload
        self.signature = signature
    }
}

/// The delivery of a notification to one endpoint.
package struct Delivery: Equatable, Sendable {
    package let notification: NotificationID
    /// `primary`, or the name of another endpoint of the app's environment.
    package let endpoint: String
    /// The app and the environment.
    package let scope: AccountScope
    /// The clock that decides when it falls due.
    package var clock: ClockName
    /// The notification's account.
    package let account: AccountID?
    /// First attempts for one original transaction are made in order.
    package let original: TransactionID?
    /// `notificationType`; histories are filtered by it.
    package let type: String
    /// `subtype`; histories are filtered by it.
    package let subtype: String?
    /// Histories are ordered by it.
    package let signedDate: Timestamp
    /// When the next attempt is due, on that clock; nil once it was delivered or abandoned.
    package var due: Timestamp?
    /// Oldest first.
    package var attempts: [SendAttempt]
    /// Whether an attempt succeeded.
    package var isDelivered: Bool

    /// A pending delivery without attempts.
    package init(of entry: OutboxEntry, to endpoint: String, clock: ClockName, due: Timestamp) {
        self.init(
            notification: entry.id,
            endpoint: endpoint,
            clock: clock,
            account: entry.account,
            original: entry.original,
            type: entry.type,
            subtype: entry.subtype,
            signedDate: entry.signedDate,
            due: due,
            attempts: [],
            isDelivered: false
        )
    }

    /// A delivery as an engine reads it.
    package init(
        notification: NotificationID,
        endpoint: String,
        clock: ClockName,
        account: AccountID?,
        original: TransactionID?,
        type: String,
        subtype: String?,
        signedDate: Timestamp,
        due: Timestamp?,
        attempts: [SendAttempt],
        isDelivered: Bool
    ) {
        self.notification = notification
        self.endpoint = endpoint
        scope = clock.scope
        self.clock = clock
        self.account = account
        self.original = original
        self.type = type
        self.subtype = subtype
        self.signedDate = signedDate
        self.due = due
        self.attempts = attempts
        self.isDelivered = isDelivered
    }
}

/// A query for notifications of an app's environment, ordered by the signed date.
package struct NotificationQuery: Sendable {
    /// Which notifications count; each kind is a subset of the one before.
    package enum Kind: Int64, Sendable {
        /// All notifications.
        case every
        /// Without version 1, which repeats the same events.
        case signed
        /// Also without requested notifications: each one left has a cause in the ledger.
        case caused
    }

    /// The app and the environment.
    package var scope: AccountScope
    /// Only those with attempts at this endpoint; nil means all.
    package var endpoint: String?
    /// Signed at or after this date.
    package var from: Timestamp?
    /// Signed at or before this date.
    package var to: Timestamp?
    /// Only this `notificationType`.
    package var type: String?
    /// Only this `subtype`; nil with `isSubtypeFixed` means only notifications without one.
    package var subtype: String?
    /// Whether `subtype` filters at all.
    package var isSubtypeFixed: Bool
    package var account: AccountID?
    /// Only what was not delivered.
    package var onlyFailures: Bool
    /// Which of all notifications; not used together with `endpoint`.
    package var kind = Kind.every
    /// The last notification of the previous page.
    package var after: (signedDate: Timestamp, id: NotificationID)?
    /// Newest first; then `after` means before.
    package var isDescending: Bool
    /// The maximum number of notifications.
    package var limit: Int

    /// All notifications of an app's environment, oldest first.
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
