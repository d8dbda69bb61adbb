import Crypto
import TillJSON

/// The token of an `Authorization` header, parsed but not verified.
///
/// The caller looks up the key for ``keyID`` and then calls ``verify(key:issuer:now:leeway:knowing:)``, or
/// ``refuseUnknownKey()`` if there is no such key. All times are real time in seconds since 1970, and may have
/// fractions. See docs/api/authentication.md.
package struct BearerToken: Sendable {
    /// The required `aud`.
    package static let audience = "appstoreconnect-v1"
    /// The maximum number of seconds between `iat` (or now) and `exp`.
    package static let maximumLifetime: Double = 3_600
    /// The number of seconds by which a client's clock may be ahead.
    package static let defaultLeeway: Double = 60

    /// `kid`: the id of the key with which the token is allegedly signed.
    package let keyID: String
    /// `iss`; nil if it is missing.
    package let issuer: String?
    /// `bid`; nil if it is missing or not a string.
    package let bundleID: String?
    private let audience: [String]
    /// `iat`; nil if it is missing. Two of Apple's four libraries omit it.
    private let issuedAt: Double?
    private let expiresAt: Double?
    private var proof: Proof

    /// The state of the signature check.
    private enum Proof: Sendable {
        /// The signature was not checked yet. The text of the `Authorization` header is the token's key in the cache.
        case unchecked(CompactJWS, header: String)
        /// The signature was checked earlier and is valid for this key.
        case checked(VerificationKey)
    }

    /// Reads the token from the value of an `Authorization` header; nil if the request has no such header.
    ///
    /// - Parameter known: a cache with verified tokens, which need not be parsed again.
    /// - Throws: ``BearerRefusal``.
    package init(
        authorization: String?,
        limit: Int = CompactJWS.defaultLimit,
        knowing known: VerifiedTokenCache? = nil
    ) throws(BearerRefusal) {
        guard let authorization else { throw .headerMissing }
        if let kept = known?.token(in: authorization) {
            self = kept
        } else {
            try self.init(jws: try Self.jws(in: authorization, limit: limit), header: authorization)
        }
    }

    private init(jws: CompactJWS, header: String) throws(BearerRefusal) {
        let algorithm = jws.headerString("alg")
        guard algorithm == "ES256" else { throw .wrongAlgorithm(algorithm) }
        guard jws.header["crit"] == nil else { throw .criticalHeader }
        guard jws.signature.count == SigningChain.signatureByteCount else {
            throw .malformed(.signatureLength(jws.signature.count))
        }
        guard let keyID = jws.headerString("kid"), !keyID.isEmpty else { throw .keyIDMissing }
        proof = .unchecked(jws, header: header)
        self.keyID = keyID
        issuer = try Self.string("iss", in: jws)
        // A bid that is not a string counts as missing. Endpoints with an error code of their own for a missing bid
        // return that code instead of a 401.
        bundleID = (try? Self.string("bid", in: jws)) ?? nil
        audience = try Self.audience(in: jws)
        issuedAt = try Self.seconds("iat", in: jws)
        expiresAt = try Self.seconds("exp", in: jws)
    }

    /// Verifies the token with the key that ``keyID`` names.
    ///
    /// The signature is checked first, so that a client without a key learns nothing from the other checks.
    ///
    /// - Parameters:
    ///   - key: the public key.
    ///   - issuer: the issuer to which the key belongs.
    ///   - now: the real time, in seconds since 1970.
    ///   - leeway: the number of seconds by which the client's clock may be ahead.
    ///   - known: a cache that keeps the token if its signature is valid.
    /// - Throws: ``BearerRefusal``.
    package func verify(
        key: VerificationKey,
        issuer expectedIssuer: String,
        now: Double,
        leeway: Double = defaultLeeway,
        knowing known: VerifiedTokenCache? = nil
    ) throws(BearerRefusal) -> BearerIdentity {
        guard isSigned(with: key, knowing: known) else { throw .badSignature(keyID: keyID) }
        guard issuer == expectedIssuer else { throw .wrongIssuer(issuer, expected: expectedIssuer) }
        guard audience == [Self.audience] else { throw .wrongAudience(audience) }
        guard let expiresAt else { throw .expirationMissing }
        try checkTimes(expiresAt: expiresAt, now: now, leeway: leeway)
        guard let bundleID, !bundleID.isEmpty else { throw .bundleIDMissing }
        return BearerIdentity(keyID: keyID, issuer: expectedIssuer, bundleID: bundleID, expiresAt: expiresAt)
    }

    /// Returns the refusal for a key that does not exist. It first verifies the signature with another key, so that the
    /// response time does not reveal which key ids exist.
    package func refuseUnknownKey() -> BearerRefusal {
        // Only the time matters: no one has the private key of `decoy`, so the verification always fails. A client with
        // a cached token already knows that its key existed, so no verification is needed.
        guard case .unchecked(let jws, _) = proof else { return .unknownKey(keyID: keyID) }
        return jws.verify(with: Self.decoy) ? .badSignature(keyID: keyID) : .unknownKey(keyID: keyID)
    }

    private static let decoy = VerificationKey(P256.Signing.PrivateKey().publicKey)

    /// Whether the token was signed with a key. The result for a cached token is already known.
    private func isSigned(with key: VerificationKey, knowing known: VerifiedTokenCache?) -> Bool {
        switch proof {
        case .checked(let one): return one == key
        case .unchecked(let jws, let header):
            guard jws.verify(with: key) else { return false }
            var checked = self
            checked.proof = .checked(key)
            known?.keep(checked, in: header)
            return true
        }
    }

    private func checkTimes(expiresAt: Double, now: Double, leeway: Double) throws(BearerRefusal) {
        guard expiresAt > now else { throw .expired(seconds: now - expiresAt) }
        let maximum = Self.maximumLifetime
        guard let issuedAt else {
            guard expiresAt <= now + maximum + leeway else {
                throw .livesTooLong(seconds: expiresAt - now, maximum: maximum, countedFromIssue: false)
            }
            return
        }
        guard issuedAt <= now + leeway else {
            throw .issuedInFuture(seconds: issuedAt - now, leeway: leeway)
        }
        // Both times are rounded down to seconds, because a client may round down only one of the two claims.
        let lifetime = expiresAt.rounded(.down) - issuedAt.rounded(.down)
        guard lifetime <= maximum else {
            throw .livesTooLong(seconds: lifetime, maximum: maximum, countedFromIssue: true)
        }
    }
}

extension BearerToken {
    private static func jws(in authorization: String, limit: Int) throws(BearerRefusal) -> CompactJWS {
        let words = authorization.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
        guard let scheme = words.first else { throw .notBearer(scheme: nil) }
        guard scheme.lowercased() == "bearer" else {
            // The explanation repeats the text only if it looks like a scheme, because the client may have sent its
            // token in this position.
            let isName = scheme.utf8.count <= 16 && scheme.allSatisfy { $0.isASCII && $0.isLetter }
            throw .notBearer(scheme: isName ? String(scheme) : nil)
        }
        guard words.count == 2 else { throw .tokenMissing }
        var text = words[1]
        while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        guard !text.isEmpty else { throw .tokenMissing }
        do {
            return try CompactJWS(text, limit: limit)
        } catch {
            throw .malformed(error)
        }
    }

    private static func string(_ name: String, in jws: CompactJWS) throws(BearerRefusal) -> String? {
        switch jws.claims[name] {
        case nil, .null?: nil
        case .string(let value)?: value
        default: throw .wrongKind(claim: name, expected: "a string")
        }
    }

    private static func seconds(_ name: String, in jws: CompactJWS) throws(BearerRefusal) -> Double? {
        switch jws.claims[name] {
        case nil, .null?: nil
        case .number(let digits)?: Double(digits)
        default: throw .wrongKind(claim: name, expected: "a number of seconds since 1970")
        }
    }

    /// Reads `aud`. A string and an array with one string are equivalent.
    private static func audience(in jws: CompactJWS) throws(BearerRefusal) -> [String] {
        switch jws.claims["aud"] {
        case nil, .null?:
            return []
        case .string(let value)?:
            return [value]
        case .array(let elements)?:
            var values: [String] = []
            for element in elements {
                guard case .string(let value) = element else {
                    throw .wrongKind(claim: "aud", expected: "a string or an array of strings")
                }
                values.append(value)
            }
            return values
        default:
            throw .wrongKind(claim: "aud", expected: "a string or an array of strings")
        }
    }
}
