import Testing

@testable import TillSigning

@Suite("Bearer tokens")
struct BearerTokenTests {
    static let issuer = "57246542-96fe-1a63-e053-0824d011072a"
    static let now: Double = 1_767_225_600

    let pair = APIKeyPair.make()

    /// The claims of a valid token, with some values changed (as JSON) and one claim left out.
    private func claims(_ changes: [String: String] = [:], without missing: String? = nil) -> [UInt8] {
        var members: [String: String] = [
            "iss": "\"\(Self.issuer)\"", "aud": "\"appstoreconnect-v1\"", "bid": "\"com.example.app\"",
            "iat": "1767225600", "exp": "1767225900",
        ]
        members.merge(changes) { $1 }
        if let missing {
            members[missing] = nil
        }
        return Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8)
    }

    private func header(_ changes: [String: String] = [:], without missing: String? = nil) throws -> String {
        "Bearer " + (try pair.sign(claims(changes, without: missing)))
    }

    /// A token with a custom header. Unless a signature is given, it has 64 bytes and is wrong.
    private func forged(_ header: String, signature: [UInt8] = [UInt8](repeating: 1, count: 64)) -> String {
        let parts = [Array(header.utf8), claims(), signature]
        return "Bearer " + parts.map { String(decoding: Base64URL.encode($0), as: UTF8.self) }.joined(separator: ".")
    }

    private func refusal(_ authorization: String?, now: Double = now, leeway: Double = 60) -> BearerRefusal? {
        do {
            let token = try BearerToken(authorization: authorization)
            _ = try token.verify(key: pair.publicKey, issuer: Self.issuer, now: now, leeway: leeway)
            return nil
        } catch {
            return error
        }
    }

    @Test("A token of the official Swift library is accepted: fractional times, iat and a nonce")
    func swiftClient() throws {
        let authorization = try header(["iat": "1767225599.75", "exp": "1767225899.75", "nonce": "\"x\""])
        let token = try BearerToken(authorization: authorization)
        #expect(token.keyID == pair.keyID)
        let identity = try token.verify(key: pair.publicKey, issuer: Self.issuer, now: Self.now)
        #expect(
            identity
                == BearerIdentity(
                    keyID: pair.keyID,
                    issuer: Self.issuer,
                    bundleID: "com.example.app",
                    expiresAt: 1_767_225_899.75
                )
        )
    }

    @Test("A token without iat, as the official Python and Java libraries create it, is accepted")
    func pythonClient() throws {
        #expect(refusal(try header(without: "iat")) == nil)
    }

    @Test("aud may be an array with one element; the scheme is case-insensitive; surrounding spaces are ignored")
    func tolerated() throws {
        #expect(refusal(try header(["aud": #"["appstoreconnect-v1"]"#])) == nil)
        #expect(refusal(try header().replacing("Bearer ", with: "bearer   ") + " ") == nil)
    }

    @Test("A missing header, another scheme and an empty token cause different errors")
    func schemes() throws {
        #expect(refusal(nil) == .headerMissing)
        #expect(refusal("") == .notBearer(scheme: nil))
        #expect(refusal("Basic dXNlcjpwYXNz") == .notBearer(scheme: "Basic"))
        #expect(refusal("Bearer") == .tokenMissing)
        #expect(refusal("Bearer  ") == .tokenMissing)
    }

    @Test("The explanation does not repeat a token that was sent without its scheme")
    func bareToken() throws {
        let token = try pair.sign(claims())
        for authorization in [token, token + " x"] {
            let explanation = refusal(authorization)?.explanation ?? ""
            #expect(refusal(authorization) == .notBearer(scheme: nil))
            #expect(!explanation.contains(token.prefix(10)))
        }
    }

    @Test("A malformed token is rejected because of its format")
    func malformed() {
        #expect(refusal("Bearer a.b") == .malformed(.segments(2)))
        #expect(refusal("Bearer a b c") == .malformed(.segments(1)))
        #expect(refusal("Bearer !!.e30.AA") == .malformed(.notBase64URL(.header)))
        let long = String(repeating: "a", count: 20_000)
        #expect(refusal("Bearer \(long)") == .malformed(.tooLong(bytes: 20_000, limit: 16_384)))
    }

    @Test("Only ES256 is accepted, and the explanation names common mistakes")
    func algorithms() {
        let none = refusal(forged(#"{"alg":"none","kid":"A"}"#, signature: []))
        #expect(none == .wrongAlgorithm("none"))
        #expect(none?.explanation.contains("no signature at all") == true)
        let shared = refusal(forged(#"{"alg":"HS256","kid":"A"}"#, signature: [UInt8](repeating: 1, count: 32)))
        #expect(shared == .wrongAlgorithm("HS256"))
        #expect(shared?.explanation.contains("shared secret") == true)
        #expect(refusal(forged(#"{"alg":"es256","kid":"A"}"#)) == .wrongAlgorithm("es256"))
        #expect(refusal(forged(#"{"alg":["ES256"],"kid":"A"}"#)) == .wrongAlgorithm(nil))
        #expect(refusal(forged(#"{"kid":"A"}"#)) == .wrongAlgorithm(nil))
    }

    @Test("A header with critical extensions, without a key id or with a DER signature is rejected")
    func headers() {
        #expect(refusal(forged(#"{"alg":"ES256","kid":"A","crit":["b64"]}"#)) == .criticalHeader)
        #expect(refusal(forged(#"{"alg":"ES256"}"#)) == .keyIDMissing)
        #expect(refusal(forged(#"{"alg":"ES256","kid":""}"#)) == .keyIDMissing)
        #expect(
            refusal(forged(#"{"alg":"ES256","kid":"A"}"#, signature: [UInt8](repeating: 1, count: 71)))
                == .malformed(.signatureLength(71))
        )
    }

    @Test("A bid that is not a text counts as missing; some routes have a separate error for this")
    func bidOfAnotherKind() throws {
        for value in ["{}", "true", "[1]", "5"] { #expect(refusal(try header(["bid": value])) == .bundleIDMissing) }
    }

    @Test("A claim of the wrong type is rejected by name", arguments: ["iss", "aud", "iat", "exp"])
    func kinds(name: String) throws {
        for value in ["{}", "true", "[1]"] {
            guard case .wrongKind(name, _)? = refusal(try header([name: value])) else {
                Issue.record("\(name): \(value)")
                continue
            }
        }
    }

    @Test("A time that is a string is rejected")
    func timeAsString() throws {
        let refused = BearerRefusal.wrongKind(claim: "exp", expected: "a number of seconds since 1970")
        #expect(refusal(try header(["exp": "\"1767225900\""])) == refused)
    }

    @Test("A token that was signed with another key, or changed after signing, has a bad signature")
    func badSignature() throws {
        let other = try APIKeyPair(keyID: pair.keyID, privateKeyPEM: APIKeyPair.make().privateKeyPEM)
        #expect(refusal("Bearer " + (try other.sign(claims()))) == .badSignature(keyID: pair.keyID))
        var parts = try header().split(separator: ".").map(String.init)
        parts[1] = String(decoding: Base64URL.encode(claims(["bid": "\"com.example.other\""])), as: UTF8.self)
        #expect(refusal(parts.joined(separator: ".")) == .badSignature(keyID: pair.keyID))
        #expect(refusal(forged(#"{"alg":"ES256","kid":"A"}"#)) == .badSignature(keyID: "A"))
    }

    @Test("A bad signature is reported before any error in the payload")
    func signatureFirst() throws {
        let other = try APIKeyPair(keyID: pair.keyID, privateKeyPEM: APIKeyPair.make().privateKeyPEM)
        let token = try other.sign(claims(["iss": "\"x\"", "exp": "1"], without: "bid"))
        #expect(refusal("Bearer \(token)") == .badSignature(keyID: pair.keyID))
    }

    @Test("A token with an unknown key is rejected only after the time of a verification")
    func unknownKey() throws {
        let token = try BearerToken(authorization: try header())
        #expect(token.refuseUnknownKey() == .unknownKey(keyID: pair.keyID))
    }

    @Test("The issuer must be that of the key, and the audience that of the API")
    func issuerAndAudience() throws {
        #expect(refusal(try header(["iss": "\"someone\""])) == .wrongIssuer("someone", expected: Self.issuer))
        #expect(refusal(try header(without: "iss")) == .wrongIssuer(nil, expected: Self.issuer))
        #expect(refusal(try header(without: "aud")) == .wrongAudience([]))
        #expect(refusal(try header(["aud": "\"appstoreconnect-v2\""])) == .wrongAudience(["appstoreconnect-v2"]))
        let two = ["appstoreconnect-v1", "other"]
        #expect(refusal(try header(["aud": #"["appstoreconnect-v1","other"]"#])) == .wrongAudience(two))
        #expect(refusal(try header(["aud": "[]"])) == .wrongAudience([]))
    }

    @Test("A token is valid until just before its exp")
    func expiry() throws {
        let authorization = try header()
        #expect(refusal(authorization, now: 1_767_225_899.9) == nil)
        #expect(refusal(authorization, now: 1_767_225_900) == .expired(seconds: 0))
        let late = refusal(authorization, now: 1_767_229_505)
        #expect(late == .expired(seconds: 3_605))
        #expect(late?.explanation.contains("3605 seconds (60 minutes) ago") == true)
        #expect(refusal(try header(without: "exp")) == .expirationMissing)
    }

    @Test("In a token with iat, exp is at most an hour later, in whole seconds")
    func lifetimeFromIssue() throws {
        #expect(refusal(try header(["exp": "1767229200"])) == nil)
        #expect(refusal(try header(["iat": "1767225600", "exp": "1767229200.9"])) == nil)
        let refused = refusal(try header(["exp": "1767229201"]))
        #expect(refused == .livesTooLong(seconds: 3_601, maximum: 3_600, countedFromIssue: true))
        #expect(refused?.explanation.contains("1 second too late") == true)
        #expect(refused?.explanation.contains("the maximum is 3600 seconds (60 minutes)") == true)
    }

    @Test("In a token without iat, exp is at most an hour after the present, plus the leeway")
    func lifetimeFromNow() throws {
        #expect(refusal(try header(["exp": "1767229260"], without: "iat")) == nil)
        let refused = refusal(try header(["exp": "1767229261"], without: "iat"))
        #expect(refused == .livesTooLong(seconds: 3_661, maximum: 3_600, countedFromIssue: false))
        #expect(refused?.explanation.contains("it has no iat") == true)
    }

    @Test("An iat in the future is accepted within the leeway, and rejected beyond it")
    func clockAhead() throws {
        let authorization = try header(["iat": "1767225660"])
        #expect(refusal(authorization) == nil)
        #expect(refusal(authorization, leeway: 59) == .issuedInFuture(seconds: 60, leeway: 59))
    }

    @Test("A missing or empty bid is reported only if everything else is valid")
    func bundle() throws {
        #expect(refusal(try header(without: "bid")) == .bundleIDMissing)
        #expect(refusal(try header(["bid": "\"\""])) == .bundleIDMissing)
        #expect(refusal(try header(["exp": "1767225599"], without: "bid")) == .expired(seconds: 1))
    }

    @Test(
        "Absurd times are rejected with an explanation and without a crash",
        arguments: ["1e300", "-1e300", "-1", "0", "9223372036854775808", "1e18", "1.7976931348623157e308", "-0.0"]
    )
    func absurdTimes(value: String) throws {
        let headers = [
            try header(["exp": value]), try header(["exp": value], without: "iat"),
            try header(["iat": value]), try header(["exp": value, "iat": value]),
        ]
        for header in headers {
            let refused = try #require(refusal(header))
            #expect(!refused.explanation.isEmpty)
        }
    }

    @Test("No explanation contains the token, its signature or control characters")
    func explanationsAreSafe() throws {
        let changes = [
            ["iss": #""a\u001b[31m\u202e""#], ["aud": "\"x\""], ["exp": "1"], ["iat": "1e12"], ["exp": "1e12"],
            ["exp": "true"], ["iss": "7"],
        ]
        let missing = ["bid", "exp", "iss", "aud"]
        for authorization in try changes.map({ try header($0) }) + missing.map({ try header(without: $0) }) {
            let refused = try #require(refusal(authorization))
            for part in authorization.split(separator: ".") {
                #expect(!refused.explanation.contains(part))
            }
            #expect(!refused.explanation.contains("\u{1B}") && !refused.explanation.contains("\u{202E}"))
            #expect(refused.explanation.hasSuffix("."))
        }
    }
}
