import HTTPTypes
import TillControl
import TillShop
import TillSigning

/// Operations on API keys, on the shared secrets for verifyReceipt, and on the named tokens of the control API.
extension ControlAPI {
    var keyRoutes: [ControlRoute] {
        [
            ControlRoute(ListKeys.self) { _ in shop.registry.keys.map { KeyInfo($0) } },
            ControlRoute(CreateKey.self) { call in
                let (record, secret) = try await makeKey(call.request) { try call.exchange.app($0) }
                var key = KeyInfo(record)
                key.privateKey = secret.exposed
                return key
            },
            ControlRoute(RevokeKey.self) { call in
                var record = try key(call.keyId, of: call.bundleId)
                record.revokedAt = record.revokedAt ?? shop.wallClock()
                try await shop.registry.put(record)
                return KeyInfo(record)
            },
            ControlRoute(GetSharedSecret.self) { secret(of: try $0.app()) },
            ControlRoute(SetSharedSecret.self) { call in
                let secret = try Self.secret(call.sharedSecret, remove: call.remove)
                try await shop.setup.setSharedSecret(secret, of: try call.app())
                return self.secret(of: try call.app())
            },
            ControlRoute(SetPrimarySharedSecret.self) { call in
                let team = try team(call.issuerId)
                let secret = try Self.secret(call.sharedSecret, remove: call.remove)
                try await shop.setup.setSharedSecret(secret, of: team)
                return SharedSecretInfo(sharedSecret: secret, from: secret == nil ? .none : .team)
            },
            ControlRoute(ListTokens.self) { _ in
                try await shop.tokens.all().map { TokenInfo($0) }
            },
            ControlRoute(CreateToken.self) { call in
                let app = try call.bundleId.map { try call.exchange.app($0).bundleID }
                let (token, secret) = try await shop.tokens.create(
                    call.name,
                    scope: call.scope ?? .operate,
                    app: app
                )
                var info = TokenInfo(token)
                info.token = secret.exposed
                return info
            },
            ControlRoute(RevokeToken.self) { call in
                try await shop.tokens.revoke(call.tokenName)
                return NoAnswer()
            },
        ]
    }

    private func makeKey(_ request: CreateKey, _ app: (String) throws -> AppRecord)
        async throws -> (KeyRecord, Secret)
    {
        let name = request.name ?? "key"
        guard let bundleID = request.bundleId else {
            let team = try await teamOrDefault(request.issuerId)
            return try await shop.setup.makeKey(named: name, issuerID: team.issuerID)
        }
        let owner = try app(bundleID)
        guard try request.issuerId.map({ try team($0).issuerID == owner.issuerID }) ?? true else {
            throw ControlError.bad("which_team", "The app \(bundleID) belongs to another team.", path: "$.issuerId")
        }
        return try await shop.setup.makeKey(named: name, issuerID: owner.issuerID, deletedWith: bundleID)
    }

    /// The key with an id and, if an app is given, for this app's offers, or deleted with this app.
    private func key(_ id: String, of bundleID: String?) throws -> KeyRecord {
        let known = shop.registry.keys(id).map(\.record).filter { key in
            bundleID.map { [key.offersOf, key.deletedWith].contains($0) } ?? true
        }
        guard let record = known.first else {
            let app = bundleID.map { " of the app \($0.prefix(128))" } ?? ""
            throw ControlError.notFound(
                "unknown_key",
                "There is no key \(id.prefix(64))\(app). List them with till key list."
            )
        }
        guard known.count == 1 else {
            throw ControlError.conflict(
                "ambiguous_key",
                "Key \(id.prefix(64)) signs offers of \(known.compactMap(\.offersOf).joined(separator: ", ")). "
                    + "Name the app, as bundleId or with till key delete --app."
            )
        }
        return record
    }

    private func secret(of app: AppRecord) -> SharedSecretInfo {
        guard let secret = shop.registry.sharedSecret(of: app) else { return SharedSecretInfo(from: .none) }
        return SharedSecretInfo(sharedSecret: secret, from: app.sharedSecret == nil ? .team : .app)
    }

    /// The secret that a request sets, a new one if the request has none; nil to remove the secret.
    private static func secret(_ secret: String?, remove: Bool?) throws -> String? {
        guard let secret else { return remove == true ? nil : Registry.makeSharedSecret() }
        guard remove != true else {
            throw ControlError.bad("bad_secret", "Give either sharedSecret or remove.", path: "$.remove")
        }
        guard Registry.accepts(sharedSecret: secret) else {
            throw ControlError.bad(
                "bad_secret",
                "A shared secret must have 1 to 128 printable characters without spaces. Omit it to generate one.",
                path: "$.sharedSecret"
            )
        }
        return secret
    }
}

extension KeyInfo {
    init(_ key: KeyRecord) {
        self.init(
            keyId: key.id,
            issuerId: key.issuerID,
            name: key.name,
            offersOf: key.offersOf,
            bundleId: key.deletedWith,
            revokedDate: key.revokedAt
        )
    }
}

extension TokenInfo {
    fileprivate init(_ token: ControlToken) {
        self.init(name: token.name, createdDate: token.createdAt, scope: token.scope, bundleId: token.app)
    }
}

extension TokenRefused {
    var status: HTTPResponse.Status {
        switch self {
        case .badName, .reservedName, .notOfApp: .badRequest
        case .exists, .tooMany: .conflict
        case .unknown: .notFound
        }
    }
}
