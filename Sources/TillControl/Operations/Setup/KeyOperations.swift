/// Lists all API keys, without their private keys, which Till does not store.
public struct ListKeys: ControlRequest {
    public typealias Answer = [KeyInfo]
    public static let operation = ControlOperation(.get, "/v1/keys", tag: .setup)

    public init() {}
}

/// Creates an API key. Only this answer contains the private key.
public struct CreateKey: ControlRequest {
    public typealias Answer = KeyInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/keys",
        tag: .setup,
        scope: .administer,
        status: 201
    )

    /// The purpose of the key.
    public var name: String?
    /// The issuer id of the team; required if there are several teams.
    public var issuerId: String?
    /// The app with which the key is deleted; by default the key stays. The key is valid for all apps of the team.
    public var bundleId: String?

    public init(name: String? = nil, issuerId: String? = nil, bundleId: String? = nil) {
        self.name = name
        self.issuerId = issuerId
        self.bundleId = bundleId
    }
}

/// Revokes a key permanently. The key stays in the list, with its revocation date.
public struct RevokeKey: ControlRequest {
    public typealias Answer = KeyInfo
    public static let operation = ControlOperation(
        .delete,
        "/v1/keys/{keyId}",
        tag: .setup,
        scope: .administer
    )

    /// The key id.
    public var keyId: String
    /// The app whose offers the key signs, or with which it is deleted; required if several apps have such a key.
    public var bundleId: String?

    public init(keyId: String, bundleId: String? = nil) {
        self.keyId = keyId
        self.bundleId = bundleId
    }
}

/// A key of the App Store Server API, or a key that signs the offers of an app.
public struct KeyInfo: ControlObject {
    /// The key id: the `kid` in the header of a token.
    public var keyId: String
    /// The issuer id of the key's team.
    public var issuerId: String
    /// The purpose of the key.
    public var name: String
    /// The app whose offers the key signs; absent for a key of the API.
    public var offersOf: String?
    /// The app with which a key of the API is deleted; absent if the key stays.
    public var bundleId: String?
    /// The revocation date, in milliseconds since 1970; absent if the key is not revoked.
    public var revokedDate: Timestamp?
    /// The private key in PEM, the content of a .p8 file; only in the answer that created the key.
    public var privateKey: String?

    public init(
        keyId: String,
        issuerId: String,
        name: String,
        offersOf: String? = nil,
        bundleId: String? = nil,
        revokedDate: Timestamp? = nil,
        privateKey: String? = nil
    ) {
        self.keyId = keyId
        self.issuerId = issuerId
        self.name = name
        self.offersOf = offersOf
        self.bundleId = bundleId
        self.revokedDate = revokedDate
        self.privateKey = privateKey
    }
}
