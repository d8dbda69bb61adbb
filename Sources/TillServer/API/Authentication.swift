import Hummingbird
import TillCore
import TillShop
import TillSigning
import TillStorage

/// The caller of the API: an app, and the team's key that signed the bearer token.
struct Caller: Sendable {
    let app: AppRecord
    let scope: AccountScope
    let keyID: String
}

/// Whether an endpoint returns its documented errors about the app; other endpoints return 401 for these errors
/// (docs/api/authentication.md).
enum AppErrors: Sendable {
    case documented
    case undocumented
}

/// Checks the bearer token of a request.
struct Authentication: Sendable {
    let shop: Shop
    let environment: StoreEnvironment
    /// Verified tokens are cached, because most clients reuse a token many times.
    private let known = VerifiedTokenCache()

    init(shop: Shop, environment: StoreEnvironment) {
        self.shop = shop
        self.environment = environment
    }

    /// - Throws: `Unauthenticated`, or an `APIError` about the app if the endpoint documents one.
    func caller(of request: Request, appErrors: AppErrors, noting claimed: inout ClaimedIdentity) throws -> Caller {
        do {
            let token = try BearerToken(authorization: request.headers[.authorization], knowing: known)
            claimed = ClaimedIdentity(keyID: token.keyID, app: token.bundleID)
            guard let (record, key) = shop.registry.key(token.keyID, usedFor: token.bundleID) else {
                let refusal = token.refuseUnknownKey()
                throw Unauthenticated(
                    explanation: refusal.explanation + knownKeys(token),
                    reason: TokenRefusal(refusal)
                )
            }
            if let revoked = record.revokedAt {
                throw Unauthenticated(
                    explanation: "Key \(record.id) was revoked at \(revoked.iso8601)." + knownKeys(token),
                    reason: .revokedKey
                )
            }
            let now = Double(shop.wallClock().milliseconds) / 1_000
            let identity = try token.verify(key: key, issuer: record.issuerID, now: now, knowing: known)
            if let app = record.offersOf {
                throw Unauthenticated(
                    explanation:
                        "Key \(record.id) only signs offers of \(app); API calls need a key from till key create.",
                    reason: .offerKey
                )
            }
            return try caller(identity, record, appErrors)
        } catch BearerRefusal.bundleIDMissing {
            let explanation = BearerRefusal.bundleIDMissing.explanation
            guard appErrors == .documented else {
                throw Unauthenticated(explanation: explanation, reason: .bundleIDMissing)
            }
            throw APIError.invalidAppIdentifier.because(explanation)
        } catch let refusal as BearerRefusal {
            throw Unauthenticated(explanation: refusal.explanation, reason: TokenRefusal(refusal))
        }
    }

    private func caller(_ identity: BearerIdentity, _ key: KeyRecord, _ appErrors: AppErrors) throws -> Caller {
        if let app = shop.registry.app(identity.bundleID), app.issuerID == key.issuerID {
            return Caller(app: app, scope: AccountScope(environment: environment, app: app.bundleID), keyID: key.id)
        }
        let own = shop.registry.apps.filter { $0.issuerID == key.issuerID }.map(\.bundleID)
        let explanation =
            "The token's bid, \(identity.bundleID.prefix(128)), is not an app of the key's team \(key.issuerID)"
            + (shop.registry.app(identity.bundleID) == nil ? " or of any other." : "; another team sells it.")
            + " The apps of that team: " + (own.isEmpty ? "none." : own.joined(separator: ", ") + ".")
        guard appErrors == .documented else { throw Unauthenticated(explanation: explanation, reason: .wrongApp) }
        throw APIError.appNotFound.because(explanation)
    }

    private func knownKeys(_ token: BearerToken) -> String {
        let app = token.bundleID.flatMap { shop.registry.app($0) }
        guard let app else { return " Create a key with till key create." }
        let keys = shop.registry.goodKeys(of: app.issuerID).map(\.id)
        return " Keys of \(app.bundleID): "
            + (keys.isEmpty ? "none. Create one with till key create." : keys.joined(separator: ", ") + ".")
    }
}

/// The app and key that a token claims, before verification. They appear in the request log.
struct ClaimedIdentity: Sendable {
    var keyID: String?
    var app: String?
}
