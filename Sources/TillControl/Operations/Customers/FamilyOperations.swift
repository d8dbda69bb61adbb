/// Creates a family of two to six customers. Customers who do not exist are created, on the organizer's clock.
public struct CreateFamily: CreatingRequest, SettlingRequest {
    public typealias Answer = FamilyChange
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/families",
        tag: .customers,
        status: 201
    )

    public var app: AppEnvironment
    /// The family's name; by default the organizer's name.
    public var name: String?
    /// The customer who organizes the family.
    public var organizer: String
    /// The other members.
    public var members: [String]
    public var clock: String?
    public var newClock: Timestamp?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        name: String? = nil,
        organizer: String,
        members: [String],
        clock: String? = nil,
        newClock: Timestamp? = nil
    ) {
        self.app = app
        self.clock = clock
        self.newClock = newClock
        self.name = name
        self.organizer = organizer
        self.members = members
    }
}

/// Shows the family of a customer.
public struct GetFamily: CustomerRequest {
    public typealias Answer = FamilyInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/family",
        tag: .customers
    )

    public var app: AppEnvironment
    public var customer: String

    public init(app: AppEnvironment, customer: String) {
        self.app = app
        self.customer = customer
    }
}

/// Adds another customer to this customer's family.
public struct JoinFamily: CustomerRequest, SettlingRequest {
    public typealias Answer = FamilyChange
    public static let operation = ControlOperation(
        .put,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/family/members/{member}",
        tag: .customers
    )

    public var app: AppEnvironment
    public var customer: String
    /// The customer who joins the family.
    public var member: String
    /// Whether imported copies become copies of the family's purchases. An import does not know the purchaser of a
    /// copy. When the purchaser is imported, too, this links the copy: from then on, it follows the purchase.
    public var linkCopies: Bool?
    public var settle: Int?

    public init(app: AppEnvironment, customer: String, member: String, linkCopies: Bool? = nil) {
        self.app = app
        self.customer = customer
        self.member = member
        self.linkCopies = linkCopies
    }
}

/// Removes the customer from the family. When the organizer leaves, the family ends.
public struct LeaveFamily: CustomerRequest, SettlingRequest {
    public typealias Answer = CustomerChange
    public static let operation = ControlOperation(
        .delete,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/family",
        tag: .customers
    )

    public var app: AppEnvironment
    public var customer: String
    public var settle: Int?

    public init(app: AppEnvironment, customer: String) {
        self.app = app
        self.customer = customer
    }
}

/// Starts or stops sharing a purchase, which any of its transactions identifies, with the purchaser's family.
public struct SetSharing: TransactionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/sharing",
        tag: .customers
    )

    public var app: AppEnvironment
    public var transactionId: String
    /// True shares the purchase; false stops sharing it.
    public var shared: Bool
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        transactionId: String,
        shared: Bool,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.transactionId = transactionId
        self.shared = shared
        self.at = at
        self.include = include
    }
}

/// A family.
public struct FamilyInfo: ControlObject {
    /// The family's name.
    public var name: String
    /// The customer who organizes the family.
    public var organizer: String
    /// All members, the organizer first.
    public var members: [String]

    public init(name: String, organizer: String, members: [String]) {
        self.name = name
        self.organizer = organizer
        self.members = members
    }
}

/// A family, and what an operation caused.
public struct FamilyChange: SettledAnswer {
    /// The family after the operation.
    public var family: FamilyInfo
    /// The events, in chronological order.
    public var events: [EventName]
    /// The notifications about the events, in chronological order: the type, with its subtype after a slash.
    public var notifications: [String]
    public var settled: SettledInfo?

    public init(family: FamilyInfo, events: [EventName], notifications: [String]) {
        self.family = family
        self.events = events
        self.notifications = notifications
    }
}
