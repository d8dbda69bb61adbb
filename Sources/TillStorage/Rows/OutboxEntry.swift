import TillCore

/// The number of a notification: counter × 1,024 + partition, so that it leads to its partition.
package struct NotificationID: Hashable, Comparable, Sendable {
    /// Rises with the order in which notifications were made, within an account.
    package let number: Int64

    /// A number as it was once given.
    package init(_ number: Int64) { self.number = number }

    /// The shard in which the notification lies: its account's.
    package var partition: Partition { Partition(of: number) }

    package static func < (left: NotificationID, right: NotificationID) -> Bool { left.number < right.number }
}

/// A notification as it was signed: once, for ever.
///
/// The certificates, which are most of what is sent, are kept once for each chain; what was sent is put together again
/// byte for byte (docs/internals/architecture.md, Outbox).
package struct OutboxEntry: Equatable, Sendable {
    /// Leads to its partition.
    package let id: NotificationID
    /// The app and the environment.
    package let scope: AccountScope
    /// Nil for what is about the app: tests and summaries.
    package let account: AccountID?
    /// First attempts of one original transaction are made in order.
    package let original: TransactionID?
    /// The transaction that it is about.
    package let transaction: TransactionID?
    /// `notificationUUID`, lower case.
    package let uuid: String
    /// `notificationType`.
    package let type: String
    /// `subtype`; nil where there is none.
    package let subtype: String?
    /// Whether somebody asked for it, without a cause in the ledger.
    package let isTriggered: Bool
    /// The date of all its parts.
    package let signedDate: Timestamp
    /// The outer payload, its signature over the whole of it. A byte 1 stands for the signed transaction (or app
    /// transaction), a byte 2 for the signed renewal info; no JSON has such bytes.
    package let body: SignedPart
    /// The transaction, or for a consent that was taken back the app transaction.
    package let transactionInfo: SignedPart?
    /// Only of auto-renewables.
    package let renewalInfo: SignedPart?
    /// Names the chain that signed all of it; nil for version 1, which nobody signs.
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

/// A payload and its signature, without the header.
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

/// What is owed to one endpoint: a notification that is to reach it.
package struct Delivery: Equatable, Sendable {
    package let notification: NotificationID
    /// `primary`, or the name of another endpoint of the app's environment.
    package let endpoint: String
    /// The app and the environment.
    package let scope: AccountScope
    /// The clock by which it falls due.
    package var clock: ClockName
    /// As the notification has it.
    package let account: AccountID?
    /// First attempts of one original transaction are made in order.
    package let original: TransactionID?
    /// `notificationType`, by which histories are filtered.
    package let type: String
    /// `subtype`, by which histories are filtered.
    package let subtype: String?
    /// By which histories are ordered.
    package let signedDate: Timestamp
    /// When the next attempt is due, by that clock; nil once it arrived or was given up.
    package var due: Timestamp?
    /// Oldest first.
    package var attempts: [SendAttempt]
    /// Whether an attempt succeeded.
    package var isDelivered: Bool

    /// Something owed and not yet tried.
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

/// Which notifications of an app's environment are wanted, by when they were signed.
package struct NotificationQuery: Sendable {
    /// What they are, each kind without more of them than the one before.
    package enum Kind: Int64, Sendable {
        /// Whatever was made.
        case every
        /// Without those of version 1, which tell the same again.
        case signed
        /// Of these without what somebody had sent by hand: each has a cause.
        case caused
    }

    /// The app and the environment.
    package var scope: AccountScope
    /// Only what was tried at this endpoint; nil is everything that was made.
    package var endpoint: String?
    /// Signed at or after.
    package var from: Timestamp?
    /// Signed before, or at.
    package var to: Timestamp?
    /// Only this `notificationType`.
    package var type: String?
    /// Only with a type; nil with `isSubtypeFixed` asks for those without one.
    package var subtype: String?
    /// Whether `subtype` is a filter at all.
    package var isSubtypeFixed: Bool
    package var account: AccountID?
    /// Only what has not arrived.
    package var onlyFailures: Bool
    /// What of all that was made; what was tried at an endpoint is not narrowed so.
    package var kind = Kind.every
    /// The last one that was read: the page begins after it.
    package var after: (signedDate: Timestamp, id: NotificationID)?
    /// Newest first; then `after` means before.
    package var isDescending: Bool
    /// At most so many.
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
