/// Shows one subscription with its latest transaction.
public struct GetSubscription: SubscriptionRequest, IncludingRequest {
    public typealias Answer = TransactionInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}",
        tag: .subscriptions
    )

    public var app: AppEnvironment
    public var originalTransactionId: String
    public var include: [TransactionPart]?

    public init(app: AppEnvironment, originalTransactionId: String, include: [TransactionPart]? = nil) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.include = include
    }
}

/// Turns off auto-renew. The paid period continues to its end.
public struct CancelSubscription: SubscriptionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/cancel",
        tag: .subscriptions
    )

    public var app: AppEnvironment
    public var originalTransactionId: String
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        originalTransactionId: String,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.at = at
        self.include = include
    }
}

/// Turns auto-renew on again.
public struct ResumeSubscription: SubscriptionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/resume",
        tag: .subscriptions
    )

    public var app: AppEnvironment
    public var originalTransactionId: String
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        originalTransactionId: String,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.at = at
        self.include = include
    }
}

/// Changes to another product of the group, applies an offer, or changes the billing plan.
public struct ChangeSubscription: SubscriptionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = PurchaseInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/change",
        tag: .subscriptions
    )
    public static let limits: [ControlLimit] = [
        .format(CodingKeys.appAccountToken, "uuid"), .format(CodingKeys.deviceId, "uuid"),
    ]

    public var app: AppEnvironment
    public var originalTransactionId: String
    /// A product of the same subscription group; the current product for an offer.
    public var productId: String
    /// The offer.
    public var offer: OfferToApply?
    /// The billing plan: the year is billed upfront, or in monthly payments with a commitment.
    public var billingPlan: BillingPlanType?
    /// The app account token, a UUID.
    public var appAccountToken: String?
    /// The device id of the purchase, a UUID; a new one by default.
    public var deviceId: String?
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        originalTransactionId: String,
        productId: String,
        offer: OfferToApply? = nil,
        billingPlan: BillingPlanType? = nil,
        appAccountToken: String? = nil,
        deviceId: String? = nil,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.productId = productId
        self.offer = offer
        self.billingPlan = billingPlan
        self.appAccountToken = appAccountToken
        self.deviceId = deviceId
        self.at = at
        self.include = include
    }
}

/// Extends the current period of a subscription free of charge.
public struct ExtendSubscription: SubscriptionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/extend",
        tag: .subscriptions
    )
    public static let limits: [ControlLimit] = [.range(CodingKeys.days, 1...90), .range(CodingKeys.reasonCode, 0...3)]

    public var app: AppEnvironment
    public var originalTransactionId: String
    /// The number of calendar days.
    public var days: Int
    /// The reason: 0 undeclared (default), 1 customer satisfaction, 2 other, 3 outage.
    public var reasonCode: Int?
    /// The request identifier; by default a new one. Repeating it has no further effect.
    public var requestIdentifier: String?
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        originalTransactionId: String,
        days: Int,
        reasonCode: Int? = nil,
        requestIdentifier: String? = nil,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.days = days
        self.reasonCode = reasonCode
        self.requestIdentifier = requestIdentifier
        self.at = at
        self.include = include
    }
}

/// Accepts a price increase for the customer.
public struct AcceptPriceIncrease: SubscriptionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/price-increase/accept",
        tag: .subscriptions
    )

    public var app: AppEnvironment
    public var originalTransactionId: String
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        originalTransactionId: String,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.at = at
        self.include = include
    }
}

/// Declines a price increase for the customer, and turns off auto-renew.
public struct DeclinePriceIncrease: SubscriptionRequest, DatedRequest, IncludingRequest, SettlingRequest {
    public typealias Answer = ActionInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/price-increase/decline",
        tag: .subscriptions
    )

    public var app: AppEnvironment
    public var originalTransactionId: String
    public var at: Timestamp?
    public var include: [TransactionPart]?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        originalTransactionId: String,
        at: Timestamp? = nil,
        include: [TransactionPart]? = nil
    ) {
        self.app = app
        self.originalTransactionId = originalTransactionId
        self.at = at
        self.include = include
    }
}
