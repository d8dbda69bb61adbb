/// Lists the fault rules, oldest first, with the number of affected calls of each.
public struct ListFaults: ControlRequest {
    public typealias Answer = [FaultRuleInfo]
    public static let operation = ControlOperation(.get, "/v1/faults", tag: .testing)

    public init() {}
}

/// Adds a fault rule.
public struct AddFault: ControlRequest {
    public typealias Answer = FaultRuleInfo
    public static let operation = ControlOperation(.post, "/v1/faults", tag: .testing, status: 201)
    public static let limits = [
        ControlLimit.range(CodingKeys.percent, 1...100), .range(CodingKeys.limit, 1...1_000_000),
        .range(CodingKeys.until, 0...Int64.max), .range(CodingKeys.code, 400...9_999_999),
        .range(CodingKeys.retryAfter, 0...86_400), .range(CodingKeys.milliseconds, 0...600_000),
        .range(CodingKeys.spread, 0...600_000), .range(CodingKeys.perHour, 0...1_000_000_000),
        .range(CodingKeys.seed, 0...Int64.max),
    ]

    /// The kind of fault.
    public var kind: FaultKind
    /// The environment to which the rule is limited.
    public var environment: StoreEnvironment?
    /// The app to which the rule is limited.
    public var bundleId: String?
    /// The route to which the rule is limited, such as `getTransactionInfo`; for notifications, the type.
    public var route: String?
    /// The name of the endpoint to which the rule is limited; only for faults of notifications.
    public var endpoint: String?
    /// The customer to whom the rule is limited.
    public var customer: String?
    /// The percentage of matching calls or notifications that are affected; all by default.
    public var percent: Int?
    /// The maximum number of affected calls or notifications; unlimited by default. A notification to several endpoints
    /// counts once.
    public var limit: Int?
    /// When the rule ends, in milliseconds of real time since 1970.
    public var until: Timestamp?
    /// The error code, HTTP status, or status of verifyReceipt that is returned.
    public var code: Int?
    /// The value of the Retry-After header of an error, in seconds.
    public var retryAfter: Int?
    /// The length of the delay in milliseconds. For `reorder`, the longest time for which the notification is held
    /// back; 60,000 by default.
    public var milliseconds: Int?
    /// The maximum of an additional random delay, in milliseconds.
    public var spread: Int?
    /// The calls per hour that `rateLimit` allows; Apple's limit by default.
    public var perHour: Int?
    /// The seed of the random numbers, to repeat a run.
    public var seed: Int64?

    public init(
        kind: FaultKind,
        environment: StoreEnvironment? = nil,
        bundleId: String? = nil,
        route: String? = nil,
        endpoint: String? = nil,
        customer: String? = nil,
        percent: Int? = nil,
        limit: Int? = nil,
        until: Timestamp? = nil,
        code: Int? = nil,
        retryAfter: Int? = nil,
        milliseconds: Int? = nil,
        spread: Int? = nil,
        perHour: Int? = nil,
        seed: Int64? = nil
    ) {
        self.kind = kind
        self.environment = environment
        self.bundleId = bundleId
        self.route = route
        self.endpoint = endpoint
        self.customer = customer
        self.percent = percent
        self.limit = limit
        self.until = until
        self.code = code
        self.retryAfter = retryAfter
        self.milliseconds = milliseconds
        self.spread = spread
        self.perHour = perHour
        self.seed = seed
    }
}

/// Removes a fault rule, all fault rules of an app, or all fault rules.
public struct RemoveFaults: ControlRequest {
    public typealias Answer = NoAnswer
    public static let operation = ControlOperation(.delete, "/v1/faults", tag: .testing)

    /// The id of the rule; by default all rules.
    public var faultId: String?
    /// Only rules that are limited to this app.
    public var bundleId: String?

    public init(faultId: String? = nil, bundleId: String? = nil) {
        self.faultId = faultId
        self.bundleId = bundleId
    }
}

/// A fault rule.
public struct FaultRuleInfo: ControlObject {
    /// The id of the rule.
    public var id: String
    /// The kind of fault.
    public var kind: FaultKind
    /// The environment to which the rule is limited.
    public var environment: StoreEnvironment?
    /// The app to which the rule is limited.
    public var bundleId: String?
    /// The route to which the rule is limited, such as `getTransactionInfo`; for notifications, the type.
    public var route: String?
    /// The name of the endpoint to which the rule is limited; only for faults of notifications.
    public var endpoint: String?
    /// The customer to whom the rule is limited.
    public var customer: String?
    /// The percentage of matching calls that are affected; absent for all.
    public var percent: Int?
    /// The maximum number of affected calls; absent if unlimited.
    public var limit: Int?
    /// When the rule ends, in milliseconds of real time since 1970.
    public var until: Timestamp?
    /// The error code, HTTP status, or status of verifyReceipt that is returned.
    public var code: Int?
    /// The value of the Retry-After header of an error, in seconds.
    public var retryAfter: Int?
    /// The length of the delay in milliseconds.
    public var milliseconds: Int?
    /// The maximum of an additional random delay, in milliseconds.
    public var spread: Int?
    /// The calls per hour that `rateLimit` allows; absent for Apple's limit.
    public var perHour: Int?
    /// The seed of the random numbers.
    public var seed: Int64
    /// The number of matching calls or notifications since the server started.
    public var seen: Int
    /// The number of affected calls or notifications since the server started.
    public var struck: Int

    public init(
        id: String,
        kind: FaultKind,
        environment: StoreEnvironment? = nil,
        bundleId: String? = nil,
        route: String? = nil,
        endpoint: String? = nil,
        customer: String? = nil,
        percent: Int? = nil,
        limit: Int? = nil,
        until: Timestamp? = nil,
        code: Int? = nil,
        retryAfter: Int? = nil,
        milliseconds: Int? = nil,
        spread: Int? = nil,
        perHour: Int? = nil,
        seed: Int64,
        seen: Int,
        struck: Int
    ) {
        self.id = id
        self.kind = kind
        self.environment = environment
        self.bundleId = bundleId
        self.route = route
        self.endpoint = endpoint
        self.customer = customer
        self.percent = percent
        self.limit = limit
        self.until = until
        self.code = code
        self.retryAfter = retryAfter
        self.milliseconds = milliseconds
        self.spread = spread
        self.perHour = perHour
        self.seed = seed
        self.seen = seen
        self.struck = struck
    }
}
