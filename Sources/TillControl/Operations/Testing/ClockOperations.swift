/// Shows a clock, and the progress of its advance.
public struct GetClock: EnvironmentRequest {
    public typealias Answer = ClockInfo
    public static let operation = ControlOperation(.get, "/v1/apps/{bundleId}/{environment}/clock", tag: .clocks)

    public var app: AppEnvironment
    /// The name of a customer clock; by default the environment's clock.
    public var clock: String?

    public init(app: AppEnvironment, clock: String? = nil) {
        self.app = app
        self.clock = clock
    }
}

/// Freezes a clock, runs it at a speed, or sets it to real time. A clock never goes back.
public struct SetClock: ClockMovingRequest, SettlingRequest {
    public typealias Answer = ClockInfo
    public static let operation = ControlOperation(.put, "/v1/apps/{bundleId}/{environment}/clock", tag: .clocks)
    public static let limits = [ControlLimit.clockTime(CodingKeys.at), .clockSpeed(CodingKeys.speed)]

    public var app: AppEnvironment
    /// The name of a customer clock; by default the environment's clock.
    public var clock: String?
    /// The mode; `real` is possible only if the clock is not ahead of real time.
    public var mode: ClockMode
    /// Only for `frozen`: the time that the clock shows, in milliseconds since 1970; by default its current time.
    public var at: Timestamp?
    /// Only for `running`: the speed as a multiple of real time; 1 by default.
    public var speed: Int?
    public var settle: Int?

    public init(app: AppEnvironment, clock: String? = nil, mode: ClockMode, at: Timestamp? = nil, speed: Int? = nil) {
        self.app = app
        self.clock = clock
        self.mode = mode
        self.at = at
        self.speed = speed
    }
}

/// Advances a clock, and processes every event that is due before the new time.
public struct AdvanceClock: ClockMovingRequest, SettlingRequest {
    public typealias Answer = AdvanceReportInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/apps/{bundleId}/{environment}/clock/advance",
        tag: .clocks
    )
    public static let limits = [ControlLimit.clockTime(CodingKeys.to), .example(CodingKeys.by, "P1M")]

    public var app: AppEnvironment
    /// The name of a customer clock; by default the environment's clock.
    public var clock: String?
    /// A duration by which to advance: `P1M`, `1mo`, `36h`, `PT36H`.
    public var by: String?
    /// The time to which to advance, in milliseconds since 1970.
    public var to: Timestamp?
    /// Whether to advance to the next scheduled event.
    public var toNextEvent: Bool?
    public var settle: Int?

    public init(
        app: AppEnvironment,
        clock: String? = nil,
        by: String? = nil,
        to: Timestamp? = nil,
        toNextEvent: Bool? = nil
    ) {
        self.app = app
        self.clock = clock
        self.by = by
        self.to = to
        self.toNextEvent = toNextEvent
    }
}

/// Lists the upcoming events on a clock, earliest first, and the date of the next delivery.
public struct ListUpcomingEvents: EnvironmentRequest {
    public typealias Answer = UpcomingEventList
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/upcoming-events",
        tag: .clocks
    )
    public static let limits = [ControlLimit.range(CodingKeys.limit, 1...100)]

    public var app: AppEnvironment
    /// The name of a customer clock; by default the environment's clock.
    public var clock: String?
    /// The maximum number of results; 20 by default.
    public var limit: Int?

    public init(app: AppEnvironment, clock: String? = nil, limit: Int? = nil) {
        self.app = app
        self.clock = clock
        self.limit = limit
    }
}

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
public struct CreateClock: ClockMovingRequest {
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

/// Deletes a customer clock that no customer uses and that has no pending deliveries.
public struct DeleteClock: EnvironmentRequest {
    public typealias Answer = NoAnswer
    public static let operation = ControlOperation(
        .delete,
        "/v1/apps/{bundleId}/{environment}/clocks/{clock}",
        tag: .clocks
    )

    public var app: AppEnvironment
    /// The name of the customer clock.
    public var clock: String

    public init(app: AppEnvironment, clock: String) {
        self.app = app
        self.clock = clock
    }
}
