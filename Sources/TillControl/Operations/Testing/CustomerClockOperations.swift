/// Lists the customer clocks by name.
public struct ListClocks: EnvironmentRequest {
    public typealias Answer = [ClockInfo]
    public static let operation = ControlOperation(.get, "/v1/apps/{bundleId}/{environment}/clocks", tag: .clocks)

    public var app: AppEnvironment

    public init(app: AppEnvironment) {
        self.app = app
    }
}

/// Creates a customer clock.
public struct CreateClock: EnvironmentRequest {
    public typealias Answer = ClockInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/clocks",
        tag: .clocks,
        status: 201
    )
    public static let limits = [ControlLimit.clockTime(CodingKeys.at), .clockSpeed(CodingKeys.speed)]

    public var app: AppEnvironment
    /// The name: 1 to 64 letters, digits, dots, dashes or underscores.
    public var name: String
    /// The mode; `frozen` by default.
    public var mode: ClockMode?
    /// The time that the clock shows, in milliseconds since 1970; by default the time of the environment's clock.
    public var at: Timestamp?
    /// Only for `running`: the speed as a multiple of real time; 1 by default.
    public var speed: Int?

    public init(app: AppEnvironment, name: String, mode: ClockMode? = nil, at: Timestamp? = nil, speed: Int? = nil) {
        self.app = app
        self.name = name
        self.mode = mode
        self.at = at
        self.speed = speed
    }
}

/// Assigns a customer clock, or the environment's clock, to a customer and the customer's family.
public struct AssignClock: CustomerRequest {
    public typealias Answer = CustomerInfo
    public static let operation = ControlOperation(
        .put,
        "/v1/apps/{bundleId}/{environment}/customers/{customer}/clock",
        tag: .clocks
    )

    public var app: AppEnvironment
    public var customer: String
    /// The name of a customer clock; by default the environment's clock.
    public var clock: String?

    public init(app: AppEnvironment, customer: String, clock: String? = nil) {
        self.app = app
        self.customer = customer
        self.clock = clock
    }
}
