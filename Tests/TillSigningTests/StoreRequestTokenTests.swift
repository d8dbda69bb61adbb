import Testing

@testable import TillSigning

@Suite("Offer tokens in JWS format")
struct StoreRequestTokenTests {
    static let now: Double = 1_767_225_600
    let pair = APIKeyPair.make()

    private func token(
        _ changes: [String: String] = [:],
        without missing: String? = nil
    ) throws -> StoreRequestToken {
        var members: [String: String] = [
            "bid": "\"com.example.app\"", "iss": "\"issuer\"", "aud": "\"promotional-offer\"", "iat": "1767225600",
            "nonce": "\"n\"", "productId": "\"pro\"", "offerIdentifier": "\"spring\"", "transactionId": "\"42\"",
        ]
        members.merge(changes) { $1 }
        if let missing {
            members[missing] = nil
        }
        return try StoreRequestToken(
            try pair.sign(Array("{\(members.map { "\"\($0)\":\($1)" }.joined(separator: ","))}".utf8))
        )
    }

    private var expected: StoreRequestToken.Expectation {
        StoreRequestToken.Expectation(
            key: pair.publicKey,
            issuer: "issuer",
            bundleID: "com.example.app",
            now: Self.now
        )
    }

    private func refusal(
        _ changes: [String: String] = [:],
        without missing: String? = nil
    ) throws -> OfferSignatureRefusal? {
        do {
            _ = try token(changes, without: missing).promotionalOffer(expected)
            return nil
        } catch let error as OfferSignatureRefusal {
            #expect(error.explanation.hasSuffix("."))
            return error
        }
    }

    @Test("A promotional offer has the values of its token, with or without a transaction")
    func promotional() throws {
        let grant = try token().promotionalOffer(expected)
        let whole = PromotionalOfferGrant(
            productID: "pro",
            offerID: "spring",
            transactionID: "42",
            nonce: "n",
            issuedAt: Self.now
        )
        #expect(grant == whole)
        #expect(try token(without: "transactionId").promotionalOffer(expected).transactionID == nil)
        try grant.check(productID: "pro", offerID: "spring")
        #expect(throws: OfferSignatureRefusal.mismatch(claim: "productId", value: "pro", expected: "other")) {
            try grant.check(productID: "other", offerID: "spring")
        }
        #expect(throws: OfferSignatureRefusal.mismatch(claim: "offerIdentifier", value: "spring", expected: "other")) {
            try grant.check(productID: "pro", offerID: "other")
        }
    }

    @Test("The token determines the eligibility for an introductory offer", arguments: [true, false])
    func introductory(isAllowed: Bool) throws {
        let changes = ["aud": "\"introductory-offer-eligibility\"", "allowIntroductoryOffer": "\(isAllowed)"]
        let grant = try token(changes).introductoryOffer(expected)
        #expect(grant.isAllowed == isAllowed)
        #expect(grant.transactionID == "42" && grant.productID == "pro")
        #expect(throws: OfferSignatureRefusal.claim("transactionId", expected: "a string")) {
            try token(changes.merging(["transactionId": "null"]) { $1 }).introductoryOffer(expected)
        }
        #expect(throws: OfferSignatureRefusal.claim("allowIntroductoryOffer", expected: "true or false")) {
            try token(changes.merging(["allowIntroductoryOffer": "1"]) { $1 }).introductoryOffer(expected)
        }
    }

    @Test("A token for one kind of request is rejected for another")
    func purposes() throws {
        let refused = OfferSignatureRefusal.wrongAudience(
            "promotional-offer",
            expected: "introductory-offer-eligibility"
        )
        #expect(throws: refused) {
            try token().introductoryOffer(expected)
        }
        let audience = "appstoreconnect-v1"
        #expect(try refusal(["aud": "\"\(audience)\""]) == .wrongAudience(audience, expected: "promotional-offer"))
        #expect(try refusal(without: "aud") == .wrongAudience(nil, expected: "promotional-offer"))
    }

    @Test("Every claim of a token is checked")
    func claims() throws {
        #expect(try refusal(["iss": "\"x\""]) == .wrongIssuer("x", expected: "issuer"))
        #expect(try refusal(without: "bid") == .wrongBundleID(nil, expected: "com.example.app"))
        #expect(try refusal(without: "iat") == .claim("iat", expected: "a number of seconds since 1970"))
        #expect(try refusal(["iat": "1767225661"]) == .issuedInFuture(seconds: 61))
        #expect(try refusal(["iat": "1e300"]) != nil)
        for name in ["productId", "offerIdentifier", "nonce"] {
            #expect(try refusal(without: name) == .claim(name, expected: "a string"))
            #expect(try refusal([name: "7"]) == .claim(name, expected: "a string"))
        }
        #expect(try refusal(["transactionId": "42"]) == .claim("transactionId", expected: "a string"))
    }

    @Test("A token of another key, without ES256 or without kid is rejected")
    func headers() throws {
        let other = try APIKeyPair(keyID: "OTHER", privateKeyPEM: APIKeyPair.make().privateKeyPEM)
        let signed = try other.sign(Array("{}".utf8))
        #expect(throws: OfferSignatureRefusal.badSignature(keyID: "OTHER")) {
            try StoreRequestToken(signed).promotionalOffer(expected)
        }
        #expect(throws: OfferSignatureRefusal.malformed(.segments(1))) { try StoreRequestToken("x") }
        #expect(throws: OfferSignatureRefusal.wrongAlgorithm(nil)) { try StoreRequestToken("e30.e30.AA") }
        let header = String(decoding: Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)), as: UTF8.self)
        #expect(throws: OfferSignatureRefusal.keyIDMissing) { try StoreRequestToken("\(header).e30.AA") }
    }
}
