import HTTPTypes
import TillControl
import TillShop
import TillSigning

/// Operations on the named tokens of the control API.
extension ControlAPI {
    var tokenRoutes: [ControlRoute] {
        [
            ControlRoute(ListTokens.self) { _ in
                try await shop.controlTokens().map { TokenInfo(name: $0.name, createdDate: $0.createdAt) }
            },
            ControlRoute(CreateToken.self) { call in
                let (token, secret) = try await shop.makeControlToken(named: call.name)
                return TokenInfo(name: token.name, createdDate: token.createdAt, token: secret.exposed)
            },
            ControlRoute(RevokeToken.self) { call in
                try await shop.revokeControlToken(call.tokenName)
                return NoAnswer()
            },
        ]
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
