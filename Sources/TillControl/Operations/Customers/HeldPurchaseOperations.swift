/// Lists a customer's pending purchases, oldest first.
public struct ListHeldPurchases: CustomerRequest {
    public typealias Answer = [HeldPurchaseInfo]
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/held-purchases",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var customer: String

    public init(app: AppEnvironment, customer: String) {
        self.app = app
        self.customer = customer
    }
}

/// Approves or completes a pending purchase.
public struct ApprovePurchase: CustomerRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = PurchaseInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/held-purchases/{number}/approve",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var customer: String
    /// The number of the pending purchase.
    public var number: Int64
    /// The device id of the purchase, a UUID; a new one by default.
    public var deviceId: String?
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        customer: String,
        number: Int64,
        deviceId: String? = nil,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.customer = customer
        self.number = number
        self.deviceId = deviceId
        self.at = at
        self.include = include
    }
}

/// Declines a pending purchase.
public struct DeclinePurchase: CustomerRequest, DatedRequest, SettlingRequest {
    public typealias Answer = CustomerChange
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/held-purchases/{number}/decline",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var customer: String
    /// The number of the pending purchase.
    public var number: Int64
    public var at: Timestamp?
    public var settle: Int?

    public init(app: AppEnvironment, customer: String, number: Int64, at: Timestamp? = nil) {
        self.app = app
        self.customer = customer
        self.number = number
        self.at = at
    }
}

/// A pending purchase.
public struct HeldPurchaseInfo: ControlObject {
    /// The number of the pending purchase; each customer's purchases are numbered from 1.
    public var number: Int64
    /// The product identifier.
    public var productId: String
    /// The quantity.
    public var quantity: Int
    /// Why it is pending: a parent must approve it, or the customer must complete it.
    public var reason: HeldPurchaseReason
    /// When the purchase became pending, in milliseconds since 1970.
    public var heldDate: Timestamp

    public init(number: Int64, productId: String, quantity: Int, reason: HeldPurchaseReason, heldDate: Timestamp) {
        self.number = number
        self.productId = productId
        self.quantity = quantity
        self.reason = reason
        self.heldDate = heldDate
    }
}
