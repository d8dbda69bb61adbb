import HTTPTypes
import TillControl
import TillShop
import TillSigning

/// Operations on the named tokens of the control API.
extension ControlAPI {
    var tokenRoutes: [ControlRoute] {
        [
            ControlRoute(ListTokens.self) { _ in
                try await shop.controlTokens().map { TokenInfo($0) }
            },
            ControlRoute(CreateToken.self) { call in
                let app = try call.bundleId.map { try call.exchange.app($0).bundleID }
                let (token, secret) = try await shop.makeControlToken(
                    named: call.name,
                    scope: call.scope ?? .operate,
                    app: app
                )
                var info = TokenInfo(token)
                info.token = secret.exposed
                return info
            },
            ControlRoute(RevokeToken.self) { call in
                try await shop.revokeControlToken(call.tokenName)
                return NoAnswer()
            },
        ]
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
