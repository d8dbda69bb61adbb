import Testing

@testable import TillSigning

@Suite("The cache of verified tokens")
struct VerifiedTokenCacheTests {
    private static let now: Double = 1_767_225_600
    private let pair = APIKeyPair.make()

    private func header(expiring: Int = 1_767_225_900, bundleID: String = "com.example.app") throws -> String {
        let claims = """
            {"iss":"issuer","aud":"appstoreconnect-v1","bid":"\(bundleID)","iat":1767225600,"exp":\(expiring)}
            """
        return "Bearer " + (try pair.sign(Array(claims.utf8)))
    }

    private func refusal(
        _ header: String,
        _ known: VerifiedTokenCache,
        key: VerificationKey? = nil,
        issuer: String = "issuer",
        now: Double = now
    ) -> BearerRefusal? {
        do {
            let token = try BearerToken(authorization: header, knowing: known)
            _ = try token.verify(key: key ?? pair.publicKey, issuer: issuer, now: now, knowing: known)
            return nil
        } catch {
            return error
        }
    }

    @Test("A verified token is cached, and all checks except the signature are repeated")
    func judged() throws {
        let known = VerifiedTokenCache()
        let header = try header()
        #expect(refusal(header, known) == nil)
        #expect(known.count == 1)
        #expect(refusal(header, known) == nil)
        #expect(known.count == 1)
        #expect(refusal(header, known, now: Self.now + 301) == .expired(seconds: 1))
        #expect(refusal(header, known, issuer: "another") == .wrongIssuer("issuer", expected: "another"))
    }

    @Test("A token with another key, signature or payload does not match a cached token")
    func others() throws {
        let known = VerifiedTokenCache()
        let header = try header()
        #expect(refusal(header, known) == nil)
        #expect(refusal(header, known, key: APIKeyPair.make().publicKey) == .badSignature(keyID: pair.keyID))
        let parts = header.split(separator: ".").map(String.init)
        let other = try self.header(bundleID: "com.example.bpp").split(separator: ".").map(String.init)
        #expect(
            refusal([parts[0], other[1], parts[2]].joined(separator: "."), known) == .badSignature(keyID: pair.keyID)
        )
        #expect(
            refusal([parts[0], parts[1], other[2]].joined(separator: "."), known) == .badSignature(keyID: pair.keyID)
        )
        #expect(known.count == 1)
    }

    @Test("A cached token is valid only with the key that verified it")
    func keys() throws {
        let known = VerifiedTokenCache()
        let header = try header()
        #expect(refusal(header, known) == nil)
        let another = APIKeyPair.make().publicKey
        #expect(refusal(header, known, key: another) == .badSignature(keyID: pair.keyID))
        #expect(refusal(header, known) == nil)
        let token = try BearerToken(authorization: header, knowing: known)
        #expect(token.refuseUnknownKey() == .unknownKey(keyID: pair.keyID))
        #expect(token.bundleID == "com.example.app")
    }

    @Test("A header longer than any client's is accepted, but not cached")
    func long() throws {
        let known = VerifiedTokenCache()
        #expect(refusal(try header(bundleID: String(repeating: "a", count: 2_048)), known) == nil)
        #expect(known.count == 0)
    }

    @Test("The cache has a size limit, and keeps the tokens that were used last")
    func bound() throws {
        let known = VerifiedTokenCache(limit: 8)
        let used = try header()
        for number in 0..<40 {
            #expect(refusal(try header(bundleID: "com.example.\(number)"), known) == nil)
            #expect(refusal(used, known) == nil)
            #expect(known.count <= 8)
        }
    }
}
