import Crypto

/// The token of an `Authorization` header, read but not believed.
///
/// The caller looks up ``keyID``, then calls ``verify(key:issuer:now:leeway:knowing:)``, or ``refuseUnknownKey()`` when
/// there is no such key. Time is the wall clock's, in seconds since 1970, and may be fractional. See
/// docs/api/authentication.md.
package struct BearerToken: Sendable {
    /// What `aud` must be.
    package static let audience = "appstoreconnect-v1"
    /// How many seconds may lie between `iat` (or now) and `exp`.
    package static let maximumLifetime: Double = 3_600
    /// How many seconds a client's clock may be ahead.
    package static let defaultLeeway: Double = 60

    /// The key the token says it was signed with.
    package let keyID: String
    /// `iss`, if there is one.
    package let issuer: String?
    /// `bid`, if there is one.
    package let bundleID: String?
    private let audience: [String]
    /// `iat`, which two of the four official libraries leave out.
    private let issuedAt: Double?
    private let expiresAt: Double?
    private let proof: Proof

    /// What speaks for a token.
    private enum Proof: Sendable {
        /// A signature that nobody looked at yet, and the header's text, by which the token may be remembered.
        case unchecked(CompactJWS, header: String)
        /// A signature that was good once, by this key.
        case checked(VerificationKey)
    }

    /// Reads the value of an `Authorization` header, nil when the request has none.
    ///
    /// - Parameter known: tokens that were good before, which need not be read again.
    /// - Throws: ``BearerRefusal``.
    package init(
        authorization: String?,
        limit: Int = CompactJWS.defaultLimit,
        knowing known: KnownTokens? = nil
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
        // A bid that is no text is no bid: routes that know the app's errors say so, and do not answer 401.
        bundleID = (try? Self.string("bid", in: jws)) ?? nil
        audience = try Self.audience(in: jws)
        issuedAt = try Self.seconds("iat", in: jws)
        expiresAt = try Self.seconds("exp", in: jws)
    }

    /// Checks the token with the key that ``keyID`` names.
    ///
    /// The signature comes first, so that nobody without a key learns from the order of the rest.
    ///
    /// - Parameters:
    ///   - key: the public half of the key.
    ///   - issuer: the issuer the key belongs to.
    ///   - now: the wall clock, in seconds since 1970.
    ///   - leeway: how many seconds the client's clock may be ahead.
    ///   - known: where a token whose signature is good is kept for the next time.
    /// - Throws: ``BearerRefusal``.
    package func verify(
        key: VerificationKey,
        issuer expectedIssuer: String,
        now: Double,
        leeway: Double = defaultLeeway,
        knowing known: KnownTokens? = nil
    ) throws(BearerRefusal) -> BearerIdentity {
        guard isSigned(with: key, knowing: known) else { throw .badSignature(keyID: keyID) }
        guard issuer == expectedIssuer else { throw .wrongIssuer(issuer, expected: expectedIssuer) }
        guard audience == [Self.audience] else { throw .wrongAudience(audience) }
        guard let expiresAt else { throw .expirationMissing }
        try checkTimes(expiresAt: expiresAt, now: now, leeway: leeway)
        guard let bundleID, !bundleID.isEmpty else { throw .bundleIDMissing }
        return BearerIdentity(keyID: keyID, issuer: expectedIssuer, bundleID: bundleID, expiresAt: expiresAt)
    }

    /// The refusal for a key that does not exist, after as much work as a real verification takes: the time of the
    /// answer does not tell which key ids exist.
    package func refuseUnknownKey() -> BearerRefusal {
        // No token can be signed with a key that was thrown away, so the result is known; the work is the point. Of
        // one that was good once its delivery worker knows that the key was there.
        guard case .unchecked(let jws, _) = proof else { return .unknownKey(keyID: keyID) }
        return jws.verify(with: Self.decoy) ? .badSignature(keyID: keyID) : .unknownKey(keyID: keyID)
    }

    private static let decoy = VerificationKey(P256.Signing.PrivateKey().publicKey)

    /// Whether the signature is the key's, by memory or by a check.
    private func isSigned(with key: VerificationKey, knowing known: KnownTokens?) -> Bool {
        switch proof {
        case .checked(let one): return one == key
        case .unchecked(let jws, let header):
            guard jws.verify(with: key) else { return false }
            known?.keep(BearerToken(self, checkedWith: key), in: header)
            return true
        }
    }

    /// The same claims, of which the key is known.
    private init(_ token: BearerToken, checkedWith key: VerificationKey) {
        proof = .checked(key)
        keyID = token.keyID
        issuer = token.issuer
        bundleID = token.bundleID
        audience = token.audience
        issuedAt = token.issuedAt
        expiresAt = token.expiresAt
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
        // Whole seconds: a client that cuts the fraction off one of the two and not off the other is not at fault.
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
            // Only what looks like a scheme is repeated: a client may have put its token there.
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
        case .number(let value)?: value
        default: throw .wrongKind(claim: name, expected: "a number of seconds since 1970")
        }
    }

    /// One string and an array of one string mean the same.
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
