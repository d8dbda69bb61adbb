/// Permanently erases a customer and all data about the customer in this app and environment.
public struct EraseCustomer: CustomerRequest, SettlingRequest {
    public typealias Answer = ErasureInfo
    public static let operation = ControlOperation(
        .delete,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}",
        tag: .customers
    )

    public var app: AppEnvironment
    public var customer: String
    /// Only counts what would be erased.
    public var dryRun: Bool?
    /// Also deletes snapshots that contain the customer.
    public var removeSnapshots: Bool?
    public var settle: Int?

    public init(app: AppEnvironment, customer: String, dryRun: Bool? = nil, removeSnapshots: Bool? = nil) {
        self.app = app
        self.customer = customer
        self.dryRun = dryRun
        self.removeSnapshots = removeSnapshots
    }
}

/// The numbers of erased objects; with dryRun, of objects that would be erased.
public struct ErasureInfo: SettledAnswer {
    /// The customer's name, which can be used again.
    public var customer: String
    /// True if the operation only counted.
    public var dryRun: Bool
    /// The number of transactions.
    public var transactions: Int
    /// The number of notifications about the customer.
    public var notificationsErased: Int
    /// The number of deliveries of these notifications, completed or pending.
    public var deliveries: Int
    /// The number of entries in the request log.
    public var requestLogEntries: Int
    /// The number of fault rules for the customer.
    public var faults: Int
    /// The customer's family.
    public var family: String?
    /// The notifications sent because the family loses the shared purchases: the type, with its subtype after a slash.
    public var notifications: [String]
    /// Snapshots that still contain the customer.
    public var snapshots: [String]
    /// Snapshots that were deleted; with dryRun, that would be deleted.
    public var removedSnapshots: [String]
    public var settled: SettledInfo?

    public init(
        customer: String,
        dryRun: Bool,
        transactions: Int,
        notificationsErased: Int,
        deliveries: Int,
        requestLogEntries: Int,
        faults: Int,
        family: String? = nil,
        notifications: [String],
        snapshots: [String],
        removedSnapshots: [String]
    ) {
        self.customer = customer
        self.dryRun = dryRun
        self.transactions = transactions
        self.notificationsErased = notificationsErased
        self.deliveries = deliveries
        self.requestLogEntries = requestLogEntries
        self.faults = faults
        self.family = family
        self.notifications = notifications
        self.snapshots = snapshots
        self.removedSnapshots = removedSnapshots
    }
}
