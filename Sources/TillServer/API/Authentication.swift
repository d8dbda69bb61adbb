import Hummingbird
import TillCore
import TillShop
import TillSigning
import TillStorage

/// The caller: an app of a team, with one of the team's keys.
struct Caller: Sendable {
    let app: AppRecord
    let scope: AccountScope
    let keyID: String
}

/// Whether an endpoint documents errors about the app; otherwise they are a 401 (docs/api/authentication.md).
enum AppErrors: Sendable {
    case documented
    case undocumented
}

/// Checks the bearer token of a request.
struct Authentication: Sendable {
    let shop: Shop
    let environment: StoreEnvironment
    /// A cache, because most clients reuse a token many times.
    private let known = VerifiedTokenCache()

    init(shop: Shop, environment: StoreEnvironment) {
        self.shop = shop
        self.environment = environment
    }

    /// - Throws: `Unauthenticated` or, where documented, an `APIError` about the app.
    func caller(of request: Request, appErrors: AppErrors, noting claimed: inout ClaimedIdentity) throws -> Caller {
        do {
            let token = try BearerToken(authorization: request.headers[.authorization], knowing: known)
            claimed = ClaimedIdentity(keyID: token.keyID, app: token.bundleID)
            guard let (record, key) = shop.registry.key(token.keyID, usedFor: token.bundleID) else {
                throw Unauthenticated(explanation: token.refuseUnknownKey().explanation + knownKeys(token))
            }
            if let revoked = record.revokedAt {
                throw Unauthenticated(
                    explanation: "Key \(record.id) was revoked at \(revoked.iso8601)." + knownKeys(token)
                )
            }
            let now = Double(shop.wallClock().milliseconds) / 1_000
            let identity = try token.verify(key: key, issuer: record.issuerID, now: now, knowing: known)
            if let app = record.offersOf {
                throw Unauthenticated(
                    explanation:
                        "Key \(record.id) only signs offers of \(app); API calls need a key from till key create."
                )
            }
            return try caller(identity, record, appErrors)
        } catch BearerRefusal.bundleIDMissing {
            let explanation = BearerRefusal.bundleIDMissing.explanation
            guard appErrors == .documented else { throw Unauthenticated(explanation: explanation) }
            throw APIError.invalidAppIdentifier.because(explanation)
        } catch let refusal as BearerRefusal {
            throw Unauthenticated(explanation: refusal.explanation)
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
            + " The team's apps: " + (own.isEmpty ? "none." : own.joined(separator: ", ") + ".")
        guard appErrors == .documented else { throw Unauthenticated(explanation: explanation) }
        throw APIError.appNotFound.because(explanation)
    }

    private func knownKeys(_ token: BearerToken) -> String {
        let app = token.bundleID.flatMap { shop.registry.app($0) }
        guard let app else { return " Make a key with till key create." }
        let keys = shop.registry.goodKeys(of: app.issuerID).map(\.id)
        return " Keys of \(app.bundleID): "
            + (keys.isEmpty ? "none; make one with till key create." : keys.joined(separator: ", ") + ".")
    }
}

/// The unverified claims of a token, for the request log.
struct ClaimedIdentity: Sendable {
    var keyID: String?
    var app: String?
}
