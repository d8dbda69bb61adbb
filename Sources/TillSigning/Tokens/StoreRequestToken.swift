import TillJSON

/// A token by a developer's server that authorizes a request of its app, parsed but not verified: the newer form of
/// promotional offers, and eligibility for introductory offers.
///
/// The caller looks up ``keyID``, then calls the function for the request. See docs/api/offers.md.
package struct StoreRequestToken: Sendable {
    /// The purpose of a token, from its `aud`.
    private enum Audience: String {
        case promotionalOffer = "promotional-offer"
        case introductoryOfferEligibility = "introductory-offer-eligibility"
    }

    /// The key that the token claims to be signed with.
    package let keyID: String
    private let jws: CompactJWS

    /// Parses a token.
    ///
    /// - Throws: ``OfferSignatureRefusal``: `malformed`, `wrongAlgorithm`, `keyIDMissing`.
    package init(_ text: String, limit: Int = CompactJWS.defaultLimit) throws(OfferSignatureRefusal) {
        do {
            jws = try CompactJWS(text, limit: limit)
        } catch {
            throw .malformed(error)
        }
        let algorithm = jws.headerString("alg")
        guard algorithm == "ES256" else { throw .wrongAlgorithm(algorithm) }
        guard let keyID = jws.headerString("kid"), !keyID.isEmpty else { throw .keyIDMissing }
        self.keyID = keyID
    }

    /// The required issuer, key and app of a token.
    package struct Expectation: Sendable {
        /// The public half of the key that `kid` names.
        package let key: VerificationKey
        /// The issuer the key belongs to.
        package let issuer: String
        /// The app in which the request is made.
        package let bundleID: String
        /// Seconds since 1970, by the clock that the developer's server uses.
        package let now: Double
        /// How many seconds that server's clock may be ahead.
        package let leeway: Double

        /// An expectation from its values.
        package init(key: VerificationKey, issuer: String, bundleID: String, now: Double, leeway: Double = 60) {
            self.key = key
            self.issuer = issuer
            self.bundleID = bundleID
            self.now = now
            self.leeway = leeway
        }
    }

    /// The offer that the token grants.
    ///
    /// - Throws: ``OfferSignatureRefusal``.
    package func promotionalOffer(_ expected: Expectation) throws(OfferSignatureRefusal) -> PromotionalOfferGrant {
        let issuedAt = try verify(.promotionalOffer, expected)
        return PromotionalOfferGrant(
            productID: try string("productId"),
            offerID: try string("offerIdentifier"),
            transactionID: try optionalString("transactionId"),
            nonce: try string("nonce"),
            issuedAt: issuedAt
        )
    }

    /// The token's decision about the introductory offer.
    ///
    /// - Throws: ``OfferSignatureRefusal``.
    package func introductoryOffer(_ expected: Expectation) throws(OfferSignatureRefusal) -> IntroductoryOfferGrant {
        let issuedAt = try verify(.introductoryOfferEligibility, expected)
        guard case .bool(let isAllowed) = jws.claims["allowIntroductoryOffer"] else {
            throw .claim("allowIntroductoryOffer", expected: "true or false")
        }
        return IntroductoryOfferGrant(
            productID: try string("productId"),
            isAllowed: isAllowed,
            transactionID: try string("transactionId"),
            nonce: try string("nonce"),
            issuedAt: issuedAt
        )
    }

    /// The checks that all these tokens have in common. Returns `iat`.
    private func verify(_ audience: Audience, _ expected: Expectation) throws(OfferSignatureRefusal) -> Double {
        guard jws.verify(with: expected.key) else { throw .badSignature(keyID: keyID) }
        let aud = try optionalString("aud")
        guard aud == audience.rawValue else { throw .wrongAudience(aud, expected: audience.rawValue) }
        let iss = try optionalString("iss")
        guard iss == expected.issuer else { throw .wrongIssuer(iss, expected: expected.issuer) }
        let bid = try optionalString("bid")
        guard bid == expected.bundleID else { throw .wrongBundleID(bid, expected: expected.bundleID) }
        guard let issuedAt = jws.claims["iat"]?.double else {
            throw .claim("iat", expected: "a number of seconds since 1970")
        }
        guard issuedAt <= expected.now + expected.leeway else {
            throw .issuedInFuture(seconds: issuedAt - expected.now)
        }
        return issuedAt
    }

    private func string(_ name: String) throws(OfferSignatureRefusal) -> String {
        guard let value = try optionalString(name), !value.isEmpty else { throw .claim(name, expected: "a string") }
        return value
    }

    private func optionalString(_ name: String) throws(OfferSignatureRefusal) -> String? {
        switch jws.claims[name] {
        case nil, .null?: nil
        case .string(let value)?: value
        default: throw .claim(name, expected: "a string")
        }
    }
}
