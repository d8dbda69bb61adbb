/// The result of an operation on a transaction or on a subscription.
public struct ActionInfo: SettledAnswer {
    /// The transaction after the operation; the latest one of a subscription.
    public var transaction: TransactionInfo
    /// The events, in chronological order.
    public var events: [EventName]
    /// The notifications about the events, in chronological order: the type, with its subtype after a slash.
    public var notifications: [String]
    public var settled: SettledInfo?

    public init(transaction: TransactionInfo, events: [EventName], notifications: [String]) {
        self.transaction = transaction
        self.events = events
        self.notifications = notifications
    }
}

/// The result of a purchase. If `result` ends in `Scheduled`, or is `changeWithdrawn`, nothing was bought: the
/// transaction is the current one.
public struct PurchaseInfo: SettledAnswer {
    /// What happened; absent if nothing was bought or changed.
    public var result: PurchaseResult?
    /// The customer who made the purchase.
    public var customer: String
    /// The transaction; absent for a pending purchase.
    public var transaction: TransactionInfo?
    /// The number of the pending purchase; absent for a completed one.
    public var held: Int64?
    /// The events, in chronological order.
    public var events: [EventName]
    /// The notifications about the events, in chronological order: the type, with its subtype after a slash.
    public var notifications: [String]
    public var settled: SettledInfo?

    public init(
        result: PurchaseResult? = nil,
        customer: String,
        transaction: TransactionInfo? = nil,
        held: Int64? = nil,
        events: [EventName],
        notifications: [String]
    ) {
        self.result = result
        self.customer = customer
        self.transaction = transaction
        self.held = held
        self.events = events
        self.notifications = notifications
    }
}
