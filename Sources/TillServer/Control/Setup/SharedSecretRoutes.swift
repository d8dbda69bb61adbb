import TillControl
import TillShop

/// Operations on the shared secrets for verifyReceipt: the secret of an app, and the primary secret of a team.
extension ControlAPI {
    var sharedSecretRoutes: [ControlRoute] {
        [
            ControlRoute(GetSharedSecret.self) { secret(of: try $0.app()) },
            ControlRoute(SetSharedSecret.self) { call in
                let secret = try Self.secret(call.sharedSecret, remove: call.remove)
                try await shop.setSharedSecret(secret, of: try call.app())
                return self.secret(of: try call.app())
            },
            ControlRoute(SetPrimarySharedSecret.self) { call in
                let team = try team(call.issuerId)
                let secret = try Self.secret(call.sharedSecret, remove: call.remove)
                try await shop.setSharedSecret(secret, of: team)
                return SharedSecretInfo(sharedSecret: secret, from: secret == nil ? .none : .team)
            },
        ]
    }

    private func secret(of app: AppRecord) -> SharedSecretInfo {
        guard let secret = shop.sharedSecret(of: app) else { return SharedSecretInfo(from: .none) }
        return SharedSecretInfo(sharedSecret: secret, from: app.sharedSecret == nil ? .team : .app)
    }

    /// The secret that a request sets, a new one if the request has none; nil to remove the secret.
    private static func secret(_ secret: String?, remove: Bool?) throws -> String? {
        guard let secret else { return remove == true ? nil : Shop.makeSharedSecret() }
        guard remove != true else {
            throw ControlError.bad("bad_secret", "Give either sharedSecret or remove.", path: "$.remove")
        }
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
