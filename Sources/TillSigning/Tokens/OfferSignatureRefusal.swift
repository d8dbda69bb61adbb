/// Why a signature by a developer's server for a purchase in the app is rejected.
///
/// When several things are wrong, the first in the order of the cases is reported. See docs/api/offers.md.
package enum OfferSignatureRefusal: Error, Sendable, Equatable {
    /// The nonce of the older form is not a UUID.
    case nonceNotUUID(String)
    /// The signature of the older form is not standard Base64 with padding.
    case notBase64
    /// The token of the newer form is not a compact JWS.
    case malformed(JWSRefusal)
    /// `alg` is not ES256; nil when it is missing.
    case wrongAlgorithm(String?)
    /// The header has no `kid`.
    case keyIDMissing
    /// The signature was not made over these values with this key.
    case badSignature(keyID: String)
    /// `aud` is missing (nil) or that of another kind of request.
    case wrongAudience(String?, expected: String)
    /// `iss` is missing (nil) or not the key's issuer.
    case wrongIssuer(String?, expected: String)
    /// `bid` is missing (nil) or another app.
    case wrongBundleID(String?, expected: String)
    /// A required claim is missing or has the wrong type.
    case claim(String, expected: String)
    /// A signed value differs from the purchase.
    case mismatch(claim: String, value: String, expected: String)
    /// The signature expired, by this many seconds.
    case expired(seconds: Double)
    /// The signature was made later than now, by this many seconds.
    case issuedInFuture(seconds: Double)

    /// One or two sentences: what was wrong, with the actual values, and what would have been right.
    package var explanation: String {
        switch self {
        case .nonceNotUUID(let nonce):
            "The offer's nonce \(Words.quoted(nonce)) is not a UUID; make a new one for each signature."
        case .notBase64:
            "The offer's signature is not standard Base64 with its padding."
        case .malformed(let refusal):
            refusal.explanation
        case .wrongAlgorithm(let algorithm):
            "The token says alg \(algorithm.map(Words.quoted) ?? "nothing"); it must be \"ES256\"."
        case .keyIDMissing:
            "The token's header has no kid; put the id of the API key there."
        case .badSignature(let keyID):
            "The signature does not match these values and API key \(Words.quoted(keyID)); every signed value "
                + "must equal the purchase's, and the key must be that key's own .p8 file."
        case .wrongAudience(let audience, let expected):
            "The token's aud is \(audience.map(Words.quoted) ?? "missing"); for this request it must be "
                + "\(Words.quoted(expected))."
        case .wrongIssuer(let issuer, let expected):
            "The token's iss is \(issuer.map(Words.quoted) ?? "missing"); the key that signed it belongs to "
                + "\(Words.quoted(expected))."
        case .wrongBundleID(let bundleID, let expected):
            "The token's bid is \(bundleID.map(Words.quoted) ?? "missing"); the purchase is made in "
                + "\(Words.quoted(expected))."
        case .claim(let claim, let expected):
            "The token's \(claim) is missing or not \(expected)."
        case .mismatch(let claim, let value, let expected):
            "The token's \(claim) is \(Words.quoted(value)), but the purchase has \(Words.quoted(expected))."
        case .expired(let seconds):
            "The signature expired \(Words.seconds(seconds)) ago; it is valid for "
                + "\(Words.seconds(Double(PromotionalOfferSignature.lifetime) / 1_000))."
        case .issuedInFuture(let seconds):
            "The signature is dated \(Words.seconds(seconds)) in the future; compare the clocks."
        }
    }
}
