/// Creates a customer from the answers of another App Store server. The customer gets a frozen clock that begins at the
/// time of the answers, and keeps the ids of the source. Nothing is written to the source.
public struct ImportCustomer: DocumentUpload, CustomerRequest, ClockMovingRequest {
    public typealias Answer = CustomerImportInfo
    public typealias Document = CustomerAnswers
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/import",
        tag: .customers,
        status: 201
    )

    public var app: AppEnvironment
    /// The name of the new customer, 1 to 128 bytes.
    public var customer: String
    /// The name of the new customer's clock; by default the name of the customer.
    public var clock: String?
    /// Whether to replace ids, app account tokens and order ids of the source.
    public var anonymize: Bool?

    public init(app: AppEnvironment, customer: String, clock: String? = nil, anonymize: Bool? = nil) {
        self.app = app
        self.customer = customer
        self.clock = clock
        self.anonymize = anonymize
    }
}

/// Answers of the App Store Server API about one customer, as a server sent them. In place of a signed value, an answer
/// may contain its decoded payload.
public struct CustomerAnswers: ControlObject {
    /// Every page of the transaction history, the statuses of all subscriptions, every page of the refund history, and
    /// the app transaction, in any order. The pages of a list are in their order.
    public var answers: [JSONObject]
    /// Every page of the transaction history of version 1, which shows the consumables that are not finished.
    public var historyV1: [JSONObject]?
    /// Order lookups. No other answer contains an order id.
    public var orders: [OrderAnswer]?

    public init(answers: [JSONObject], historyV1: [JSONObject]? = nil, orders: [OrderAnswer]? = nil) {
        self.answers = answers
        self.historyV1 = historyV1
        self.orders = orders
    }
}

/// The answer to an order lookup.
public struct OrderAnswer: ControlObject {
    /// The order id that was looked up.
    public var orderId: String
    /// The answer as the server sent it.
    public var answer: JSONObject

    public init(orderId: String, answer: JSONObject) {
        self.orderId = orderId
        self.answer = answer
    }
}

/// An imported customer.
public struct CustomerImportInfo: ControlObject {
    /// The name of the customer.
    public var customer: String
    /// The `appTransactionId` that answers about the customer contain.
    public var appTransactionId: String
    /// The name of the customer's clock.
    public var clock: String
    /// The time of the answers, at which the clock is frozen.
    public var now: Timestamp
    /// The number of imported transactions.
    public var transactions: Int
    /// The number of imported subscriptions.
    public var subscriptions: Int
    /// The products that the catalog lacked and that were created.
    public var productsCreated: [String]
    /// What could not be imported. The customer's account does not contain it.
    public var quarantined: [ImportFinding]
    /// What the answers do not show, and what was assumed.
    public var assumptions: [ImportFinding]
    /// Where the renewal information of the new customer differs from that of the source.
    public var differences: [ImportFinding]

    public init(
        customer: String,
        appTransactionId: String,
        clock: String,
        now: Timestamp,
        transactions: Int,
        subscriptions: Int,
        productsCreated: [String],
        quarantined: [ImportFinding],
        assumptions: [ImportFinding],
        differences: [ImportFinding]
    ) {
        self.customer = customer
        self.appTransactionId = appTransactionId
        self.clock = clock
        self.now = now
        self.transactions = transactions
        self.subscriptions = subscriptions
        self.productsCreated = productsCreated
        self.quarantined = quarantined
        self.assumptions = assumptions
        self.differences = differences
    }
}

/// An entry of the report about an import.
public struct ImportFinding: ControlObject {
    /// What the entry is about, such as a transaction with its id.
    public var subject: String
    /// The reason, the assumption or the difference.
    public var reason: String

    public init(subject: String, reason: String) {
        self.subject = subject
        self.reason = reason
    }
}
