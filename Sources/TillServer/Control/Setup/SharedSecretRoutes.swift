import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop

/// Operations on the shared secrets for verifyReceipt: the secret of an app, and the primary secret of a team.
extension ControlAPI {
    private static let secretSchema = Schema.object(
        "A shared secret.",
        [
            Schema.optional(
                "sharedSecret",
                .string("The `password` that verifyReceipt requires; absent if no secret is set.")
            ),
            Schema.required(
                "from",
                .string(
                    "Where the secret comes from: the app, its team (the primary secret), or no secret is set.",
                    oneOf: ["app", "team", "none"]
                )
            ),
        ]
    )

    private static let secretInput = Schema.object(
        "The secret to set.",
        [
            Schema.optional(
                "sharedSecret",
                .string("The secret, 1 to 128 printable characters; by default 32 random hexadecimal digits.")
            )
        ]
    )

    var sharedSecretRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/shared-secret",
                id: "getSharedSecret",
                tag: "secrets",
                summary: "Shows the shared secret that verifyReceipt requires for an app.",
                response: Self.secretSchema
            ) { secret(of: try $0.app()) },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/shared-secret",
                id: "setSharedSecret",
                tag: "secrets",
                summary: "Sets the shared secret of an app, which applies instead of the team's primary secret.",
                request: Self.secretInput,
                response: Self.secretSchema
            ) { exchange in
                let app = try exchange.app()
                try await shop.setSharedSecret(try Self.secret(exchange.body), of: app)
                return secret(of: try exchange.app())
            },
            ControlRoute(
                method: .delete,
                path: "/v1/apps/{bundleId}/shared-secret",
                id: "removeSharedSecret",
                tag: "secrets",
                summary: "Removes the shared secret of an app. The team's primary secret then applies."
            ) { exchange in
                try await shop.setSharedSecret(nil, of: try exchange.app())
                return []
            },
            ControlRoute(
                method: .put,
                path: "/v1/teams/{issuerId}/shared-secret",
                id: "setPrimarySharedSecret",
                tag: "secrets",
                summary: "Sets the primary shared secret of a team, for apps that have no secret of their own.",
                request: Self.secretInput,
                response: Self.secretSchema
            ) { exchange in
                let team = try team(of: exchange)
                let secret = try Self.secret(exchange.body)
                try await shop.setSharedSecret(secret, of: team)
                return Self.json(secret, from: "team")
            },
            ControlRoute(
                method: .delete,
                path: "/v1/teams/{issuerId}/shared-secret",
                id: "removePrimarySharedSecret",
                tag: "secrets",
                summary: "Removes the primary shared secret of a team."
            ) { exchange in
                try await shop.setSharedSecret(nil, of: try team(of: exchange))
                return []
            },
        ]
    }

    private func team(of exchange: ControlExchange) throws -> Team {
        let id = exchange.parameter("issuerId")
        guard let team = UUIDText.canonical(id).flatMap({ shop.registry.team($0) }) else {
            throw ControlError.notFound(
                "unknown_team",
                "There is no team \(id.prefix(64)). List them with GET /v1/teams."
            )
        }
        return team
    }

    private func secret(of app: AppRecord) -> [UInt8] {
        guard let secret = shop.sharedSecret(of: app) else { return Self.json(nil, from: "none") }
        return Self.json(secret, from: app.sharedSecret == nil ? "team" : "app")
    }

    private static func secret(_ body: ControlBody) throws -> String {
        guard let secret = body.text("sharedSecret") else { return Shop.makeSharedSecret() }
        guard Shop.accepts(sharedSecret: secret) else {
            throw ControlError.bad(
                "bad_secret",
                "A shared secret must have 1 to 128 printable characters without spaces. Omit it to generate one.",
                path: "$.sharedSecret"
            )
        }
        return secret
    }

    private static func json(_ secret: String?, from owner: String) -> [UInt8] {
        var json = JSONWriter()
        json.put("sharedSecret", secret)
        json.put("from", owner)
        return json.finish()
    }
}
