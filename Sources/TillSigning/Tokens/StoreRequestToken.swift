import TillJSON

/// A token by a developer's server that authorizes a request of its app, parsed but not verified: the newer form of
/// promotional offers, and eligibility for introductory offers.
///
/// The caller looks up the key for ``keyID`` and then calls the function for the kind of offer. See docs/api/offers.md.
package struct StoreRequestToken: Sendable {
    /// The values of `aud`, which states the purpose of a token.
    private enum Audience: String {
        case promotionalOffer = "promotional-offer"
        case introductoryOfferEligibility = "introductory-offer-eligibility"
    }

    /// `kid`: the id of the key with which the token is allegedly signed.
    package let keyID: String
    private let jws: CompactJWS

    /// Parses a token.
    ///
    /// - Throws: ``OfferSignatureRefusal``: `malformed`, `wrongAlgorithm` or `keyIDMissing`.
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

    /// The values that a token must have, and the current time.
    package struct Expectation: Sendable {
        /// The public key with the id `kid`.
        package let key: VerificationKey
        /// The issuer to which the key belongs.
        package let issuer: String
        /// The bundle id of the app in which the customer buys the offer.
        package let bundleID: String
        /// The current time on the clock that the developer's server uses, in seconds since 1970.
        package let now: Double
        /// The number of seconds by which that server's clock may be ahead.
        package let leeway: Double

        /// Creates the expectation from its values.
        package init(key: VerificationKey, issuer: String, bundleID: String, now: Double, leeway: Double = 60) {
            self.key = key
            self.issuer = issuer
            self.bundleID = bundleID
            self.now = now
            self.leeway = leeway
        }
    }

    /// Verifies the token and returns the promotional offer that it grants.
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

    /// Verifies the token and returns its decision about the introductory offer.
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

    /// Performs the checks that both kinds of tokens have in common, and returns `iat`.
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
