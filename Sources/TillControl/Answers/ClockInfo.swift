/// A clock.
public struct ClockInfo: SettledAnswer {
    /// The name of a customer clock; absent for the environment's clock.
    public var name: String?
    /// The mode: real time, frozen, or running at a speed.
    public var mode: ClockMode
    /// The time that the clock shows, in milliseconds since 1970.
    public var now: Timestamp
    /// The speed of a running clock, as a multiple of real time.
    public var speed: Int?
    /// The progress of an advance; present only while one is running.
    public var advance: AdvanceProgressInfo?
    public var settled: SettledInfo?

    public init(
        name: String? = nil,
        mode: ClockMode,
        now: Timestamp,
        speed: Int? = nil,
        advance: AdvanceProgressInfo? = nil
    ) {
        self.name = name
        self.mode = mode
        self.now = now
        self.speed = speed
        self.advance = advance
    }
}

/// The result of an advance. All changes are stored.
public struct AdvanceReportInfo: SettledAnswer {
    /// The time before the advance, in milliseconds since 1970.
    public var from: Timestamp
    /// The time after the advance, in milliseconds since 1970.
    public var to: Timestamp
    /// The number of accounts in which events occurred.
    public var accounts: Int
    /// The number of created notifications, by type and subtype.
    public var notifications: [NotificationCountInfo]
    /// Customers in quarantine, because their accounts could not be processed.
    public var quarantined: [String]
    public var settled: SettledInfo?

    public init(
        from: Timestamp,
        to: Timestamp,
        accounts: Int,
        notifications: [NotificationCountInfo],
        quarantined: [String]
    ) {
        self.from = from
        self.to = to
        self.accounts = accounts
        self.notifications = notifications
        self.quarantined = quarantined
    }
}

/// The number of notifications of a type and subtype.
public struct NotificationCountInfo: ControlObject {
    /// The type.
    public var type: NotificationType
    /// The subtype; absent for a type without one.
    public var subtype: NotificationSubtype?
    /// The number of notifications.
    public var count: Int

    public init(type: NotificationType, subtype: NotificationSubtype? = nil, count: Int) {
        self.type = type
        self.subtype = subtype
        self.count = count
    }
}

/// The progress of an advance.
public struct AdvanceProgressInfo: ControlObject {
    /// The time before the advance, in milliseconds since 1970.
    public var from: Timestamp
    /// The time after the advance, in milliseconds since 1970.
    public var to: Timestamp
    /// The number of accounts processed so far.
    public var accounts: Int
    /// The number of notifications created so far.
    public var notifications: Int

    public init(from: Timestamp, to: Timestamp, accounts: Int, notifications: Int) {
        self.from = from
        self.to = to
        self.accounts = accounts
        self.notifications = notifications
    }
}

/// The next events on a clock.
public struct UpcomingEventList: ControlObject {
    /// The events, earliest first.
    public var events: [UpcomingEventInfo]
    /// When the next delivery is due, in milliseconds since 1970; may be in the past.
    public var nextAttemptDate: Timestamp?

    public init(events: [UpcomingEventInfo], nextAttemptDate: Timestamp? = nil) {
        self.events = events
        self.nextAttemptDate = nextAttemptDate
    }
}

/// An upcoming event.
public struct UpcomingEventInfo: ControlObject {
    /// The date of the event, in milliseconds since 1970.
    public var date: Timestamp
    /// The customer who is affected.
    public var customer: String
    /// What happens. If several events are due at that date, the first.
    public var event: UpcomingEventKind?
    /// The original transaction id of the subscription, or the id of the transaction to refund.
    public var transactionId: String?

    public init(date: Timestamp, customer: String, event: UpcomingEventKind? = nil, transactionId: String? = nil) {
        self.date = date
        self.customer = customer
        self.event = event
        self.transactionId = transactionId
    }
}
