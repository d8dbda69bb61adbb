import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning

/// Operations on the named tokens of the control API.
extension ControlAPI {
    private static let tokenProperties: [Schema.Property] = [
        Schema.required("name", .string("The name: 1 to 64 letters, digits, dots, dashes and underscores.")),
        Schema.required("createdDate", .integer("The creation date, in milliseconds since 1970.")),
    ]

    var tokenRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/tokens",
                id: "listTokens",
                tag: "tokens",
                summary:
                    "Lists the named control API tokens, without the tokens themselves, which Till does not store.",
                response: .object(
                    "Tokens.",
                    [
                        Schema.required(
                            "tokens",
                            .array("The tokens by name.", of: .object("A token.", Self.tokenProperties))
                        )
                    ]
                )
            ) { _ in
                let tokens = try await shop.controlTokens()
                var json = JSONWriter()
                json.put("tokens", objects: tokens.map { Self.json($0) })
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/tokens",
                id: "createToken",
                tag: "tokens",
                summary: "Creates a control API token. Only this answer contains the token.",
                request: .object(
                    "The token to create.",
                    [Schema.required("name", .string("The owner or purpose of the token."))]
                ),
                response: .object(
                    "The token.",
                    Self.tokenProperties + [
                        Schema.required("token", .string("The token, which clients send as `Authorization: Bearer …`."))
                    ]
                ),
                status: .created
            ) { exchange in
                let (token, secret) = try await shop.makeControlToken(named: exchange.body.text("name") ?? "")
                return Self.json(token, secret)
            },
            ControlRoute(
                method: .delete,
                path: "/v1/tokens/{tokenName}",
                id: "revokeToken",
                tag: "tokens",
                summary: "Revokes a token. The next request with this token is refused."
            ) { exchange in
                try await shop.revokeControlToken(exchange.parameter("tokenName"))
                return []
            },
        ]
    }

    private static func json(_ token: ControlToken, _ secret: Secret? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.put("name", token.name)
        json.put("createdDate", token.createdAt)
        json.put("token", secret?.exposed)
        return json.finish()
    }
}

extension TokenRefused {
    var status: HTTPResponse.Status {
        switch self {
        case .badName: .badRequest
        case .exists, .tooMany: .conflict
        case .unknown: .notFound
        }
    }
}
