/// Why a request is rejected: the complete list of reasons for a 401.
///
/// The answer only says "Unauthenticated"; ``explanation`` is for the request log that `till explain` reads. When
/// several things are wrong, the first in the order of the cases is reported. See docs/api/authentication.md.
package enum BearerRefusal: Error, Sendable, Equatable {
    /// No `Authorization` header.
    case headerMissing
    /// Another scheme than Bearer; nil when the header is not a scheme and a value.
    case notBearer(scheme: String?)
    /// The scheme is Bearer, but no token follows.
    case tokenMissing
    /// The token is not a compact JWS, or (checked after `alg`) its signature has the wrong length.
    case malformed(JWSRefusal)
    /// `alg` is not ES256; nil when it is missing or not a string.
    case wrongAlgorithm(String?)
    /// The header has `crit`: it requires extensions that Till does not support.
    case criticalHeader
    /// The header has no `kid`.
    case keyIDMissing
    /// A claim is present but has the wrong type.
    case wrongKind(claim: String, expected: String)
    /// No such key. Used by the caller that looks up keys.
    case unknownKey(keyID: String)
    /// The signature was not made with the key of `kid`, or the token was changed since.
    case badSignature(keyID: String)
    /// `iss` is missing (nil) or not the key's issuer.
    case wrongIssuer(String?, expected: String)
    /// `aud` is missing (empty) or not the API's.
    case wrongAudience([String])
    /// The token has no `exp`.
    case expirationMissing
    /// The token expired, by this many seconds.
    case expired(seconds: Double)
    /// The token was issued later than now, by this many seconds.
    case issuedInFuture(seconds: Double, leeway: Double)
    /// The token's lifetime is too long, counted from `iat`, or from now without one.
    case livesTooLong(seconds: Double, maximum: Double, countedFromIssue: Bool)
    /// `bid` is missing or empty. Everything else in the token is right.
    case bundleIDMissing

    /// One or two sentences: what was wrong, with the actual values, and what would have been right.
    ///
    /// Never contains the token or its signature.
    package var explanation: String {
        switch self {
        case .headerMissing:
            "The request has no Authorization header; send \"Authorization: Bearer <token>\"."
        case .notBearer(let scheme?):
            "The Authorization header has the scheme \(Words.quoted(scheme)); send \"Bearer\", a space and the token."
        case .notBearer(nil):
            "The Authorization header is not a scheme and a value; send \"Bearer\", a space and the token."
        case .tokenMissing:
            "The Authorization header ends after \"Bearer\"; the token must follow it."
        case .malformed(let refusal):
            refusal.explanation
        case .wrongAlgorithm("none"):
            "The token says alg \"none\", which is no signature at all; sign it with ES256."
        case .wrongAlgorithm(let algorithm?) where algorithm.hasPrefix("HS"):
            "The token says alg \(Words.quoted(algorithm)), a shared secret; sign it with ES256 and the .p8 key."
        case .wrongAlgorithm(let algorithm?):
            "The token says alg \(Words.quoted(algorithm)); only ES256, spelled so, is accepted."
        case .wrongAlgorithm(nil):
            "The token's header has no alg that is a string; it must be \"ES256\"."
        case .criticalHeader:
            "The token's header has crit, which demands extensions that are not understood here; leave it out."
        case .keyIDMissing:
            "The token's header has no kid; put the id of the API key there."
        case .wrongKind(let claim, let expected):
            "The token's \(claim) is not \(expected)."
        case .unknownKey(let keyID):
            "There is no API key \(Words.quoted(keyID)); make one, or use the id of one that exists."
        case .badSignature(let keyID):
            "The signature does not match API key \(Words.quoted(keyID)); sign with that key's own .p8 file, and do "
                + "not change the token afterwards."
        case .wrongIssuer(let issuer?, let expected):
            "The token's iss is \(Words.quoted(issuer)); the key that signed it belongs to "
                + "\(Words.quoted(expected)), spelled so."
        case .wrongIssuer(nil, let expected):
            "The token has no iss; it must be \(Words.quoted(expected)), the issuer that the key belongs to."
        case .wrongAudience(let audience) where audience.isEmpty:
            "The token has no aud; it must be \(Words.quoted(BearerToken.audience))."
        case .wrongAudience(let audience):
            "The token's aud is \(audience.prefix(3).map(Words.quoted).joined(separator: ", ")); it must be "
                + "\(Words.quoted(BearerToken.audience)) alone."
        case .expirationMissing:
            "The token has no exp; set it to a time at most \(Words.seconds(BearerToken.maximumLifetime)) ahead."
        case .expired(let seconds):
            "The token expired \(Words.seconds(seconds)) ago; make a new one for each request, and compare the clocks."
        case .issuedInFuture(let seconds, let leeway):
            "The token's iat is \(Words.seconds(seconds)) in the future, and \(Words.seconds(leeway)) are tolerated; "
                + "the client's clock is ahead."
        case .livesTooLong(let seconds, let maximum, let countedFromIssue):
            "The token's exp is \(Words.seconds(seconds)) after "
                + (countedFromIssue ? "its iat" : "now (it has no iat)")
                + ", which is \(Words.seconds(seconds - maximum)) too late; the most is \(Words.seconds(maximum))."
        case .bundleIDMissing:
            "The token has no bid that is a text; put the app's bundle id there."
        }
    }
}
