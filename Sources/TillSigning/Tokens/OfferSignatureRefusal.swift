/// The reason why an offer signature of a developer's server is rejected.
///
/// If several things are wrong, the first in the order of these cases is reported. See docs/api/offers.md.
package enum OfferSignatureRefusal: Error, Sendable, Equatable {
    /// The nonce of an offer in the older form is not a UUID.
    case nonceNotUUID(String)
    /// The signature of an offer in the older form is not standard Base64 with padding.
    case notBase64
    /// The token of an offer in the newer form is not a compact JWS.
    case malformed(JWSRefusal)
    /// `alg` is not ES256; nil if it is missing.
    case wrongAlgorithm(String?)
    /// The token's header has no `kid`.
    case keyIDMissing
    /// The signature is not valid for these values and this key.
    case badSignature(keyID: String)
    /// `aud` is missing (nil) or belongs to another kind of request.
    case wrongAudience(String?, expected: String)
    /// `iss` is missing (nil) or is not the key's issuer.
    case wrongIssuer(String?, expected: String)
    /// `bid` is missing (nil) or names another app.
    case wrongBundleID(String?, expected: String)
    /// A required claim is missing or has the wrong type.
    case claim(String, expected: String)
    /// A signed value differs from the purchase.
    case mismatch(claim: String, value: String, expected: String)
    /// The signature has expired; `seconds` is the time since its expiration.
    case expired(seconds: Double)
    /// The signature's date is in the future; `seconds` is the time until then.
    case issuedInFuture(seconds: Double)

    /// Explains in one or two sentences what is wrong, with the actual values, and what is correct.
    package var explanation: String {
        switch self {
        case .nonceNotUUID(let nonce):
            "The offer's nonce \(Words.quoted(nonce)) is not a UUID; create a new UUID for each signature."
        case .notBase64:
            "The offer's signature is not standard Base64 with padding."
        case .malformed(let refusal):
            refusal.explanation
        case .wrongAlgorithm(let algorithm):
            "The token's alg is \(algorithm.map(Words.quoted) ?? "missing"); it must be \"ES256\"."
        case .keyIDMissing:
            "The token's header has no kid; set it to the id of the API key."
        case .badSignature(let keyID):
            "The signature does not match these values and API key \(Words.quoted(keyID)); sign exactly the values of "
                + "the purchase, with the .p8 file of this key."
        case .wrongAudience(let audience, let expected):
            "The token's aud is \(audience.map(Words.quoted) ?? "missing"); for this request it must be "
                + "\(Words.quoted(expected))."
        case .wrongIssuer(let issuer, let expected):
            "The token's iss is \(issuer.map(Words.quoted) ?? "missing"); it must be \(Words.quoted(expected)), the "
                + "issuer of the key."
        case .wrongBundleID(let bundleID, let expected):
            "The token's bid is \(bundleID.map(Words.quoted) ?? "missing"); it must be \(Words.quoted(expected)), the "
                + "app of the purchase."
        case .claim(let claim, let expected):
            "The token's \(claim) is missing or not \(expected)."
        case .mismatch(let claim, let value, let expected):
            "The token's \(claim) is \(Words.quoted(value)), but the purchase has \(Words.quoted(expected))."
        case .expired(let seconds):
            "The signature expired \(Words.seconds(seconds)) ago; a signature is valid for "
                + "\(Words.seconds(Double(PromotionalOfferSignature.lifetime) / 1_000))."
        case .issuedInFuture(let seconds):
            "The signature is dated \(Words.seconds(seconds)) in the future; check the clock of the signing server."
        }
    }
}
