/// Lists the named control API tokens by name, without the tokens themselves, which Till does not store.
public struct ListTokens: ControlRequest {
    public typealias Answer = [TokenInfo]
    public static let operation = ControlOperation(.get, "/v1/tokens", tag: .server, scope: .administer)

    public init() {}
}

/// Creates a control API token. Only this answer contains the token.
public struct CreateToken: ControlRequest {
    public typealias Answer = TokenInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/tokens",
        tag: .server,
        scope: .administer,
        status: 201
    )

    /// The owner or purpose of the token: 1 to 64 letters, digits, dots, dashes and underscores. The names
    /// administrator, loopback and console are reserved.
    public var name: String
    /// What the token permits; operate by default.
    public var scope: ControlScope?
    /// The bundle identifier of the only app that the token permits to read or change, with the scope read or operate;
    /// by default, all apps and the server itself.
    public var bundleId: String?

    public init(name: String, scope: ControlScope? = nil, bundleId: String? = nil) {
        self.name = name
        self.scope = scope
        self.bundleId = bundleId
    }
}

/// Revokes a token. The next request with this token is refused.
public struct RevokeToken: ControlRequest {
    public typealias Answer = NoAnswer
    public static let operation = ControlOperation(
        .delete,
        "/v1/tokens/{tokenName}",
        tag: .server,
        scope: .administer
    )

    /// The name of the token.
    public var tokenName: String

    public init(tokenName: String) {
        self.tokenName = tokenName
    }
}

/// A token of the control API.
public struct TokenInfo: ControlObject {
    /// The name: 1 to 64 letters, digits, dots, dashes and underscores.
    public var name: String
    /// The creation date, in milliseconds since 1970.
    public var createdDate: Timestamp
    /// What the token permits.
    public var scope: ControlScope
    /// The only app that the token permits to read or change; absent for all apps and the server itself.
    public var bundleId: String?
    /// The token, which clients send as `Authorization: Bearer …`; only in the answer that created it.
    public var token: String?

    public init(
        name: String,
        createdDate: Timestamp,
        scope: ControlScope,
        bundleId: String? = nil,
        token: String? = nil
    ) {
        self.name = name
        self.createdDate = createdDate
        self.scope = scope
        self.bundleId = bundleId
        self.token = token
    }
}
