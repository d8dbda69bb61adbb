/// Refunds a transaction in full or in part, or the unused part of a subscription's period.
public struct RefundTransaction: TransactionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund",
        tag: .purchases
    )
    public static let limits = [ControlLimit.range(CodingKeys.percentage, 1...99_999)]

    public var app: AppEnvironment
    public var transactionId: String
    /// How much to refund; `FULL` by default, or `PART` with a percentage.
    public var share: RefundShare?
    /// The refunded percentage in milliunits; only for `PART`.
    public var percentage: Int?
    /// The revocation reason: 1 for an issue in the app, 0 for any other reason.
    public var reason: RevocationReason?
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        transactionId: String,
        share: RefundShare? = nil,
        percentage: Int? = nil,
        reason: RevocationReason? = nil,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.transactionId = transactionId
        self.share = share
        self.percentage = percentage
        self.reason = reason
        self.at = at
        self.include = include
    }
}

/// How much of the price is refunded.
public enum RefundShare: String, Codable, CaseIterable, Sendable {
    /// The whole price.
    case full = "FULL"
    /// The price of the unused part of a subscription's period.
    case unused = "UNUSED"
    /// A percentage of the price.
    case part = "PART"
}

/// Reverses a refund after a dispute with the customer.
public struct ReverseRefund: TransactionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund/reverse",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var transactionId: String
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(app: AppEnvironment, transactionId: String, at: Timestamp? = nil, include: [TransactionPart]? = nil) {
        self.app = app
        self.transactionId = transactionId
        self.at = at
        self.include = include
    }
}

/// Requests a refund. The environment's refund rule decides, or the operator decides.
public struct RequestRefund: TransactionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund/request",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var transactionId: String
    /// The customer's reason for the request; `UNINTENDED_PURCHASE` by default.
    public var reason: ConsumptionRequestReason?
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        transactionId: String,
        reason: ConsumptionRequestReason? = nil,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.transactionId = transactionId
        self.reason = reason
        self.at = at
        self.include = include
    }
}

/// Declines a refund request.
public struct DeclineRefund: TransactionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund/decline",
        tag: .purchases
    )

    public var app: AppEnvironment
    public var transactionId: String
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(app: AppEnvironment, transactionId: String, at: Timestamp? = nil, include: [TransactionPart]? = nil) {
        self.app = app
        self.transactionId = transactionId
        self.at = at
        self.include = include
    }
}

/// Lists the undecided refund requests of one customer, or of all customers in pages.
public struct ListRefundRequests: EnvironmentRequest {
    public typealias Answer = RefundRequestList
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/refund-requests",
        tag: .purchases
    )

    public var app: AppEnvironment
    /// The name of the customer; all customers by default.
    public var customer: String?
    /// The value of `next` from the previous page; not with `customer`.
    public var after: String?

    public init(app: AppEnvironment, customer: String? = nil, after: String? = nil) {
        self.app = app
        self.customer = customer
        self.after = after
    }
}
