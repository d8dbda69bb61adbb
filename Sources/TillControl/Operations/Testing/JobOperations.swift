/// Raises the price of a subscription. New customers pay it at once; subscribers are notified first.
public struct RaisePrice: EnvironmentRequest, DatedRequest, SettlingRequest {
    public typealias Answer = JobInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/products/{productId}/price",
        tag: .subscriptions
    )
    public static let limits = [
        ControlLimit.range(CodingKeys.price, 1...1_000_000_000_000), .example(CodingKeys.currency, "USD"),
    ]

    public var app: AppEnvironment
    /// The product identifier.
    public var productId: String
    /// The price of a full period in milliunits.
    public var price: Int64
    /// The currency of the price, as an ISO 4217 code; by default the currency of the current price.
    public var currency: String?
    /// Only in this storefront, which must have a price of its own; by default in all storefronts without one.
    public var storefront: Storefront?
    /// Whether subscribers must consent; `automatic` by default, which depends on the amount.
    public var consent: PriceConsent?
    public var at: Timestamp?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        productId: String,
        price: Int64,
        currency: String? = nil,
        storefront: Storefront? = nil,
        consent: PriceConsent? = nil,
        at: Timestamp? = nil
    ) {
        self.app = app
        self.productId = productId
        self.price = price
        self.currency = currency
        self.storefront = storefront
        self.consent = consent
        self.at = at
    }
}

/// Turns on Family Sharing for a product. Families then share what their members own.
public struct ShareProduct: EnvironmentRequest, DatedRequest, SettlingRequest {
    public typealias Answer = JobInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/products/{productId}/sharing",
        tag: .subscriptions
    )

    public var app: AppEnvironment
    /// The product identifier.
    public var productId: String
    public var at: Timestamp?
    public var settle: Int?

    public init(app: AppEnvironment, productId: String, at: Timestamp? = nil) {
        self.app = app
        self.productId = productId
        self.at = at
    }
}

/// Extends the current period of all subscribers of a product.
public struct ExtendAll: EnvironmentRequest, DatedRequest, SettlingRequest {
    public typealias Answer = JobInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/extensions",
        tag: .subscriptions
    )
    public static let limits = [
        ControlLimit.range(CodingKeys.days, 1...90), .range(CodingKeys.reasonCode, 0...3),
        .format(CodingKeys.requestIdentifier, "uuid"),
    ]

    public var app: AppEnvironment
    /// The product identifier.
    public var productId: String
    /// The number of calendar days.
    public var days: Int
    /// The reason, 0 (undeclared, the default) to 3.
    public var reasonCode: Int?
    /// The request identifier, a UUID; by default a new one.
    public var requestIdentifier: String?
    /// The storefronts, as Alpha-3 codes; by default all storefronts.
    public var storefronts: [Storefront]?
    public var at: Timestamp?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        productId: String,
        days: Int,
        reasonCode: Int? = nil,
        requestIdentifier: String? = nil,
        storefronts: [Storefront]? = nil,
        at: Timestamp? = nil
    ) {
        self.app = app
        self.productId = productId
        self.days = days
        self.reasonCode = reasonCode
        self.requestIdentifier = requestIdentifier
        self.storefronts = storefronts
        self.at = at
    }
}

/// Lists the jobs of the app's environment by effective date.
public struct ListJobs: EnvironmentRequest {
    public typealias Answer = [JobInfo]
    public static let operation = ControlOperation(.get, "/v1/apps/{bundleId}/{environment}/jobs", tag: .subscriptions)

    public var app: AppEnvironment

    public init(app: AppEnvironment) {
        self.app = app
    }
}

/// Shows one job.
public struct GetJob: EnvironmentRequest {
    public typealias Answer = JobInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/jobs/{jobId}",
        tag: .subscriptions
    )

    public var app: AppEnvironment
    /// The job id.
    public var jobId: String

    public init(app: AppEnvironment, jobId: String) {
        self.app = app
        self.jobId = jobId
    }
}

/// A job: a bulk operation on the accounts of a product's customers.
public struct JobInfo: SettledAnswer {
    public static let limits = [ControlLimit.format(CodingKeys.requestIdentifier, "uuid")]

    /// The job id.
    public var jobId: String
    /// The operation.
    public var kind: JobKind
    /// The product whose customers are affected.
    public var productId: String
    /// The state of the job.
    public var state: JobState
    /// When the operation applies on each customer's clock, in milliseconds since 1970.
    public var effectiveDate: Timestamp
    /// The number of accounts for which the operation succeeded.
    public var succeeded: Int
    /// The number of accounts for which the operation failed.
    public var failed: Int
    /// When the job was completed, in milliseconds since 1970.
    public var completedDate: Timestamp?
    /// Only for `extend`: the request identifier.
    public var requestIdentifier: String?
    /// Only for `extend`: the number of calendar days.
    public var days: Int?
    /// Only for `extend`: the reason, 0 (undeclared) to 3.
    public var reasonCode: Int?
    /// Only for `extend`: the storefronts, as Alpha-3 codes; absent for all storefronts.
    public var storefronts: [Storefront]?
    /// Customer clocks before `effectiveDate`. The job applies to their customers at that date.
    public var pendingClocks: [String]?
    public var settled: SettledInfo?

    public init(
        jobId: String,
        kind: JobKind,
        productId: String,
        state: JobState,
        effectiveDate: Timestamp,
        succeeded: Int,
        failed: Int,
        completedDate: Timestamp? = nil,
        requestIdentifier: String? = nil,
        days: Int? = nil,
        reasonCode: Int? = nil,
        storefronts: [Storefront]? = nil,
        pendingClocks: [String]? = nil
    ) {
        self.jobId = jobId
        self.kind = kind
        self.productId = productId
        self.state = state
        self.effectiveDate = effectiveDate
        self.succeeded = succeeded
        self.failed = failed
        self.completedDate = completedDate
        self.requestIdentifier = requestIdentifier
        self.days = days
        self.reasonCode = reasonCode
        self.storefronts = storefronts
        self.pendingClocks = pendingClocks
    }
}
