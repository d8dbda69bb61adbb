/// Lists the endpoints, primary first. While till listen runs, it is an endpoint, too.
public struct ListEndpoints: EnvironmentRequest {
    public typealias Answer = [EndpointInfo]
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/{environment}/endpoints",
        tag: .notifications
    )

    public var app: AppEnvironment

    public init(app: AppEnvironment) {
        self.app = app
    }
}

/// Sets the URL and the notification types of an endpoint.
public struct SetEndpoint: EnvironmentRequest {
    public typealias Answer = EndpointInfo
    public static let operation = ControlOperation(
        .put,
        "/v1/apps/{bundleId}/{environment}/endpoints/{endpoint}",
        tag: .notifications
    )
    public static let limits = [ControlLimit.example(CodingKeys.url, "https://example.com/apple")]

    public var app: AppEnvironment
    /// The name of the endpoint, such as primary: 1 to 64 letters, digits or dashes.
    public var endpoint: String
    /// An http or https URL.
    public var url: String
    /// The notification types to send, such as DID_RENEW or EXPIRED/VOLUNTARY; by default all types.
    public var types: [String]?
    /// The version of the notifications: 1 or 2; 2 by default.
    public var version: NotificationVersion?

    public init(
        app: AppEnvironment,
        endpoint: String,
        url: String,
        types: [String]? = nil,
        version: NotificationVersion? = nil
    ) {
        self.app = app
        self.endpoint = endpoint
        self.url = url
        self.types = types
        self.version = version
    }
}

/// Changes what the request contains of an endpoint, and leaves the rest.
public struct UpdateEndpoint: EnvironmentRequest {
    public typealias Answer = EndpointInfo
    public static let operation = ControlOperation(
        .patch,
        "/v1/apps/{bundleId}/{environment}/endpoints/{endpoint}",
        tag: .notifications
    )
    public static let limits = SetEndpoint.limits

    public var app: AppEnvironment
    /// The name of the endpoint.
    public var endpoint: String
    /// An http or https URL.
    public var url: String?
    /// The notification types to send, such as DID_RENEW or EXPIRED/VOLUNTARY; empty for all types.
    public var types: [String]?
    /// The version of the notifications: 1 or 2.
    public var version: NotificationVersion?
    /// True pauses the endpoint: its deliveries wait. False resumes it: what is pending is delivered.
    public var paused: Bool?

    /// The same request, which also pauses or resumes the endpoint.
    public func pausing(_ paused: Bool) -> Self {
        var request = self
        request.paused = paused
        return request
    }

    public init(
        app: AppEnvironment,
        endpoint: String,
        url: String? = nil,
        types: [String]? = nil,
        version: NotificationVersion? = nil
    ) {
        self.app = app
        self.endpoint = endpoint
        self.url = url
        self.types = types
        self.version = version
    }
}

/// Removes an endpoint and discards its pending deliveries.
public struct RemoveEndpoint: EnvironmentRequest {
    public typealias Answer = NoAnswer
    public static let operation = ControlOperation(
        .delete,
        "/v1/apps/{bundleId}/{environment}/endpoints/{endpoint}",
        tag: .notifications
    )

    public var app: AppEnvironment
    /// The name of the endpoint.
    public var endpoint: String

    public init(app: AppEnvironment, endpoint: String) {
        self.app = app
        self.endpoint = endpoint
    }
}

/// An endpoint: the URL of a developer's server that receives notifications.
public struct EndpointInfo: ControlObject {
    /// The name: primary, whose deliveries Get Notification History reports, or another name.
    public var name: String
    /// The URL to which notifications are sent.
    public var url: String
    /// The notification types that the endpoint receives; empty for all types.
    public var types: [String]
    /// The version of the notifications: 1 or 2.
    public var version: NotificationVersion
    /// True for a paused endpoint, whose deliveries wait; otherwise absent.
    public var paused: Bool?

    public init(name: String, url: String, types: [String], version: NotificationVersion) {
        self.name = name
        self.url = url
        self.types = types
        self.version = version
    }
}
