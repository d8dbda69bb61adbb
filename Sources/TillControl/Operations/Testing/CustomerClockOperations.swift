/// Lists the customer clocks.
public struct ListClocks: EnvironmentRequest {
    public typealias Answer = ClockList
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

/// Shows a customer clock.
public struct GetCustomerClock: EnvironmentRequest {
    public typealias Answer = ClockInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/clocks/{clock}",
        tag: .clocks
    )

    public var app: AppEnvironment
    /// The name of a customer clock.
    public var clock: String

    public init(app: AppEnvironment, clock: String) {
        self.app = app
        self.clock = clock
    }
}

/// Freezes a customer clock, runs it at a speed, or sets it to real time. A clock never goes back.
public struct SetCustomerClock: EnvironmentRequest {
    public typealias Answer = ClockInfo
    public static let operation = ControlOperation(
        .put,
        "/v1/apps/{bundleId}/{environment}/clocks/{clock}",
        tag: .clocks
    )
    public static let limits = [ControlLimit.clockTime(CodingKeys.at), .clockSpeed(CodingKeys.speed)]

    public var app: AppEnvironment
    /// The name of a customer clock.
    public var clock: String
    /// The mode; `real` is possible only if the clock is not ahead of real time.
    public var mode: ClockMode
    /// Only for `frozen`: the time that the clock shows, in milliseconds since 1970; by default its current time.
    public var at: Timestamp?
    /// Only for `running`: the speed as a multiple of real time; 1 by default.
    public var speed: Int?

    public init(app: AppEnvironment, clock: String, mode: ClockMode, at: Timestamp? = nil, speed: Int? = nil) {
        self.app = app
        self.clock = clock
        self.mode = mode
        self.at = at
        self.speed = speed
    }
}

/// Advances a customer clock, and processes every event that is due before the new time.
public struct AdvanceCustomerClock: EnvironmentRequest {
    public typealias Answer = AdvanceReportInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/clocks/{clock}/advance",
        tag: .clocks
    )
    public static let limits = [ControlLimit.clockTime(CodingKeys.to), .example(CodingKeys.by, "P1M")]

    public var app: AppEnvironment
    /// The name of a customer clock.
    public var clock: String
    /// A duration by which to advance: `P1M`, `1mo`, `36h`, `PT36H`.
    public var by: String?
    /// The time to which to advance, in milliseconds since 1970.
    public var to: Timestamp?
    /// Whether to advance to the next scheduled event.
    public var toNextEvent: Bool?
    /// Whether to wait until every due notification is delivered, for a minute at most.
    public var settle: Bool?

    public init(
        app: AppEnvironment,
        clock: String,
        by: String? = nil,
        to: Timestamp? = nil,
        toNextEvent: Bool? = nil,
        settle: Bool? = nil
    ) {
        self.app = app
        self.clock = clock
        self.by = by
        self.to = to
        self.toNextEvent = toNextEvent
        self.settle = settle
    }
}

/// Shows the progress of an advance of a customer clock.
public struct GetCustomerClockAdvance: EnvironmentRequest {
    public typealias Answer = AdvanceProgressInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/clocks/{clock}/advance",
        tag: .clocks
    )

    public var app: AppEnvironment
    /// The name of a customer clock.
    public var clock: String

    public init(app: AppEnvironment, clock: String) {
        self.app = app
        self.clock = clock
    }
}
