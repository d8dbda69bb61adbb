/// The reason why a request's bearer token is rejected with a 401.
///
/// The response contains no reason; ``explanation`` is for the request log, which `till explain` reads. If several
/// things are wrong, the first in the order of these cases is reported. See docs/api/authentication.md.
package enum BearerRefusal: Error, Sendable, Equatable {
    /// The request has no `Authorization` header.
    case headerMissing
    /// The header has another scheme than Bearer; nil if the header is not a scheme followed by a value.
    case notBearer(scheme: String?)
    /// The header ends after the scheme Bearer.
    case tokenMissing
    /// The token is not a compact JWS, or its signature has the wrong length. The length is checked after `alg`.
    case malformed(JWSRefusal)
    /// `alg` is not ES256; nil if it is missing or not a string.
    case wrongAlgorithm(String?)
    /// The token's header contains `crit`, which requires extensions that Till does not support.
    case criticalHeader
    /// The token's header has no `kid`.
    case keyIDMissing
    /// A claim is present but has the wrong type.
    case wrongKind(claim: String, expected: String)
    /// There is no key with the id. The caller that looks up the key reports this case.
    case unknownKey(keyID: String)
    /// The token was signed with another key than `kid` names, or it was changed after it was signed.
    case badSignature(keyID: String)
    /// `iss` is missing (nil) or is not the key's issuer.
    case wrongIssuer(String?, expected: String)
    /// `aud` is missing (empty) or is not the audience of the API.
    case wrongAudience([String])
    /// The token has no `exp`.
    case expirationMissing
    /// The token has expired; `seconds` is the time since its expiration.
    case expired(seconds: Double)
    /// `iat` is in the future; `seconds` is the time until then.
    case issuedInFuture(seconds: Double, leeway: Double)
    /// The token's lifetime is too long, counted from `iat`, or from the current time if there is no `iat`.
    case livesTooLong(seconds: Double, maximum: Double, countedFromIssue: Bool)
    /// `bid` is missing or empty, and everything else in the token is valid.
    case bundleIDMissing

    /// Explains in one or two sentences what is wrong, with the actual values, and what is correct.
    ///
    /// The explanation never contains the token or its signature.
    package var explanation: String {
        switch self {
        case .headerMissing:
            "The request has no Authorization header; send \"Authorization: Bearer <token>\"."
        case .notBearer(let scheme?):
            "The Authorization header has the scheme \(Words.quoted(scheme)); send \"Bearer\", a space and the token."
        case .notBearer(nil):
            "The Authorization header is not a scheme followed by a value; send \"Bearer\", a space and the token."
        case .tokenMissing:
            "The Authorization header ends after \"Bearer\"; the token must follow it."
        case .malformed(let refusal):
            refusal.explanation
        case .wrongAlgorithm("none"):
            "The token's alg is \"none\", which means no signature at all; sign it with ES256."
        case .wrongAlgorithm(let algorithm?) where algorithm.hasPrefix("HS"):
            "The token's alg is \(Words.quoted(algorithm)), which uses a shared secret; sign it with ES256 and the .p8 "
                + "key."
        case .wrongAlgorithm(let algorithm?):
            "The token's alg is \(Words.quoted(algorithm)); it must be \"ES256\", in upper case."
        case .wrongAlgorithm(nil):
            "The token's header has no alg, or alg is not a string; it must be \"ES256\"."
        case .criticalHeader:
            "The token's header has crit, which requires extensions that Till does not support; remove crit."
        case .keyIDMissing:
            "The token's header has no kid; set it to the id of the API key."
        case .wrongKind(let claim, let expected):
            "The token's \(claim) is not \(expected)."
        case .unknownKey(let keyID):
            "There is no API key \(Words.quoted(keyID)); create a key, or use the id of an existing key."
        case .badSignature(let keyID):
            "The signature does not match API key \(Words.quoted(keyID)); sign with the .p8 file of this key, and do "
                + "not change the token afterwards."
        case .wrongIssuer(let issuer?, let expected):
            "The token's iss is \(Words.quoted(issuer)); it must be exactly \(Words.quoted(expected)), the issuer of "
                + "the key."
        case .wrongIssuer(nil, let expected):
            "The token has no iss; it must be \(Words.quoted(expected)), the issuer of the key."
        case .wrongAudience(let audience) where audience.isEmpty:
            "The token has no aud; it must be \(Words.quoted(BearerToken.audience))."
        case .wrongAudience(let audience):
            "The token's aud is \(audience.prefix(3).map(Words.quoted).joined(separator: ", ")); it must be "
                + "\(Words.quoted(BearerToken.audience)) and nothing else."
        case .expirationMissing:
            "The token has no exp; set it to a time at most \(Words.seconds(BearerToken.maximumLifetime)) in the "
                + "future."
        case .expired(let seconds):
            "The token expired \(Words.seconds(seconds)) ago; create a new token for each request, and check the "
                + "client's clock."
        case .issuedInFuture(let seconds, let leeway):
            "The token's iat is \(Words.seconds(seconds)) in the future, but at most \(Words.seconds(leeway)) are "
                + "allowed; check the client's clock."
        case .livesTooLong(let seconds, let maximum, let countedFromIssue):
            "The token's exp is \(Words.seconds(seconds)) after "
                + (countedFromIssue ? "its iat" : "now (it has no iat)")
                + ", which is \(Words.seconds(seconds - maximum)) too late; the maximum is \(Words.seconds(maximum))."
        case .bundleIDMissing:
            "The token has no bid, or bid is not a string; set it to the app's bundle id."
        }
    }
}
