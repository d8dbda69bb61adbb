import TillControl
import TillShop

/// Operations on the shared secrets for verifyReceipt: the secret of an app, and the primary secret of a team.
extension ControlAPI {
    var sharedSecretRoutes: [ControlRoute] {
        [
            ControlRoute(GetSharedSecret.self) { secret(of: try $0.app()) },
            ControlRoute(SetSharedSecret.self) { call in
                try await shop.setSharedSecret(try Self.checked(secret: call.sharedSecret), of: try call.app())
                return secret(of: try call.app())
            },
            ControlRoute(RemoveSharedSecret.self) { call in
                try await shop.setSharedSecret(nil, of: try call.app())
                return NoAnswer()
            },
            ControlRoute(SetPrimarySharedSecret.self) { call in
                let team = try team(call.issuerId)
                let secret = try Self.checked(secret: call.sharedSecret)
                try await shop.setSharedSecret(secret, of: team)
                return SharedSecretInfo(sharedSecret: secret, from: .team)
            },
            ControlRoute(RemovePrimarySharedSecret.self) { call in
                try await shop.setSharedSecret(nil, of: try team(call.issuerId))
                return NoAnswer()
            },
        ]
    }

    private func secret(of app: AppRecord) -> SharedSecretInfo {
        guard let secret = shop.sharedSecret(of: app) else { return SharedSecretInfo(from: .none) }
        return SharedSecretInfo(sharedSecret: secret, from: app.sharedSecret == nil ? .team : .app)
    }

    /// The secret of a request; a new one if the request has none.
    private static func checked(secret: String?) throws -> String {
        guard let secret else { return Shop.makeSharedSecret() }
        guard Shop.accepts(sharedSecret: secret) else {
            throw ControlError.bad(
                "bad_secret",
                "A shared secret must have 1 to 128 printable characters without spaces. Omit it to generate one.",
                path: "$.sharedSecret"
            )
        }
        return secret
    }
}
