/// Shows the shared secret that verifyReceipt requires for an app.
public struct GetSharedSecret: AppRequest {
    public typealias Answer = SharedSecretInfo
    public static let operation = ControlOperation(
        .get,
        "/v1/apps/{bundleId}/shared-secret",
        tag: .setup,
        scope: .administer
    )

    public var bundleId: String

    public init(bundleId: String) {
        self.bundleId = bundleId
    }
}

/// Sets or removes the shared secret of an app, which applies instead of the team's primary secret.
public struct SetSharedSecret: AppRequest {
    public typealias Answer = SharedSecretInfo
    public static let operation = ControlOperation(
        .put,
        "/v1/apps/{bundleId}/shared-secret",
        tag: .setup,
        scope: .administer
    )

    public var bundleId: String
    /// The secret, 1 to 128 printable characters; by default 32 random hexadecimal digits.
    public var sharedSecret: String?
    /// Whether to remove the secret instead of setting it; false by default. Not with `sharedSecret`.
    public var remove: Bool?

    public init(bundleId: String, sharedSecret: String? = nil, remove: Bool? = nil) {
        self.bundleId = bundleId
        self.sharedSecret = sharedSecret
        self.remove = remove
    }
}

/// Sets or removes the primary shared secret of a team, for apps that have no secret of their own.
public struct SetPrimarySharedSecret: ControlRequest {
    public typealias Answer = SharedSecretInfo
    public static let operation = ControlOperation(
        .put,
        "/v1/teams/{issuerId}/shared-secret",
        tag: .setup,
        scope: .administer
    )

    /// The issuer id of the team.
    public var issuerId: String
    /// The secret, 1 to 128 printable characters; by default 32 random hexadecimal digits.
    public var sharedSecret: String?
    /// Whether to remove the secret instead of setting it; false by default. Not with `sharedSecret`.
    public var remove: Bool?

    public init(issuerId: String, sharedSecret: String? = nil, remove: Bool? = nil) {
        self.issuerId = issuerId
        self.sharedSecret = sharedSecret
        self.remove = remove
    }
}

/// A shared secret.
public struct SharedSecretInfo: ControlObject {
    /// The `password` that verifyReceipt requires; absent if no secret is set.
    public var sharedSecret: String?
    /// Where the secret comes from.
    public var from: SharedSecretSource

    public init(sharedSecret: String? = nil, from: SharedSecretSource) {
        self.sharedSecret = sharedSecret
        self.from = from
    }
}

/// Where the shared secret of an app comes from: the app, its team (the primary secret), or no secret is set.
public enum SharedSecretSource: String, Codable, CaseIterable, Sendable {
    /// The app has a secret of its own.
    case app
    /// The team's primary secret applies.
    case team
    /// No secret is set.
    case none
}
