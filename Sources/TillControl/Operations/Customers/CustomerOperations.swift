/// Lists customers, oldest first, in pages.
public struct ListCustomers: EnvironmentRequest {
    public typealias Answer = CustomerList
    public static let operation = ControlOperation(.get, "/v1/apps/{bundleId}/{environment}/customers", tag: .customers)
    public static let limits = [ControlLimit.range(CodingKeys.limit, 1...100)]

    public var app: AppEnvironment
    /// The value of `next` from the previous page.
    public var after: String?
    /// The maximum number of results; 50 by default.
    public var limit: Int?

    public init(app: AppEnvironment, after: String? = nil, limit: Int? = nil) {
        self.app = app
        self.after = after
        self.limit = limit
    }
}

/// Creates a customer. An existing customer is not changed.
public struct CreateCustomer: CreatingRequest, DatedRequest {
    public typealias Answer = CustomerInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/customers",
        tag: .customers,
        status: 201,
        unchanged: 200
    )

    public var app: AppEnvironment
    /// The customer's name, 1 to 128 bytes.
    public var customer: String
    /// The storefront, an Alpha-3 code; the catalog's by default.
    public var storefront: Storefront?
    /// False if the customer never downloaded the app and has no app transaction.
    public var downloadsApp: Bool?
    /// The platform on which the customer downloads the app.
    public var platform: PurchasePlatform?
    /// The downloaded app version; 1.0 by default.
    public var applicationVersion: String?
    public var clock: String?
    public var newClock: Timestamp?
    public var at: Timestamp?

    public init(
        app: AppEnvironment,
        customer: String,
        storefront: Storefront? = nil,
        downloadsApp: Bool? = nil,
        platform: PurchasePlatform? = nil,
        applicationVersion: String? = nil,
        clock: String? = nil,
        newClock: Timestamp? = nil,
        at: Timestamp? = nil
    ) {
        self.app = app
        self.customer = customer
        self.storefront = storefront
        self.downloadsApp = downloadsApp
        self.platform = platform
        self.applicationVersion = applicationVersion
        self.clock = clock
        self.newClock = newClock
        self.at = at
    }
}

/// Shows one customer, with subscriptions and owned products.
public struct GetCustomer: CustomerRequest {
    public typealias Answer = CustomerInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}",
        tag: .customers
    )

    public var app: AppEnvironment
    public var customer: String

    public init(app: AppEnvironment, customer: String) {
        self.app = app
        self.customer = customer
    }
}

/// Changes a customer's payment method, Ask to Buy or clock. The request contains at least one of the three; the server
/// changes all that it contains, or nothing. Accepting the card charges failed payments at once.
public struct UpdateCustomer: CustomerRequest, DatedRequest, SettlingRequest {
    public typealias Answer = CustomerChange
    public static let operation = ControlOperation(
        .patch,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}",
        tag: .customers
    )

    public var app: AppEnvironment
    public var customer: String
    /// Whether the card is accepted: `declinedForRenewals` declines renewals only; `declined` also declines purchases.
    public var card: Card?
    /// Whether a parent must approve the customer's purchases (Ask to Buy).
    public var asksToBuy: Bool?
    /// The name of a customer clock for the customer and the customer's family; empty for the environment's clock.
    public var clock: String?
    public var at: Timestamp?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        customer: String,
        card: Card? = nil,
        asksToBuy: Bool? = nil,
        clock: String? = nil,
        at: Timestamp? = nil
    ) {
        self.app = app
        self.customer = customer
        self.card = card
        self.asksToBuy = asksToBuy
        self.clock = clock
        self.at = at
    }
}
