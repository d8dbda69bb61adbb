import Testing

@testable import TillSigning

@Suite("API keys")
struct APIKeyPairTests {
    @Test("A new key id has ten characters from A to Z and 0 to 9, and ids are unique")
    func ids() {
        let pairs = (0..<50).map { _ in APIKeyPair.make() }
        for pair in pairs {
            #expect(pair.keyID.wholeMatch(of: /[A-Z0-9]{10}/) != nil)
        }
        #expect(Set(pairs.map(\.keyID)).count == 50)
        #expect(Set(pairs.map(\.publicKey)).count == 50)
    }

    @Test("The .p8 file and the stored public key are read back as the same key")
    func roundTrip() throws {
        let pair = APIKeyPair.make()
        #expect(pair.privateKeyPEM.exposed.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let read = try APIKeyPair(keyID: pair.keyID, privateKeyPEM: pair.privateKeyPEM)
        #expect(read.publicKey == pair.publicKey)
        #expect(pair.publicKey.x963.count == 65)
        #expect(try VerificationKey(x963: pair.publicKey.x963) == pair.publicKey)
        #expect(try VerificationKey(pem: pair.publicKey.pem) == pair.publicKey)
        #expect(try CompactJWS(try read.sign(Array("{}".utf8))).verify(with: pair.publicKey))
        #expect("\(pair)" == "API key \(pair.keyID)")
    }

    @Test("OpenSSL reads the .p8 file")
    func openSSLReads() throws {
        let answer = try OpenSSL.inFolder { folder in
            let path = try folder.file("key.p8", APIKeyPair.make().privateKeyPEM.exposed)
            return try OpenSSL.run(["pkey", "-noout", "-text", "-in", path])
        }
        #expect(answer.status == 0 && answer.text.contains("prime256v1"))
    }

    @Test("Bytes that are not a point, text that is not a key, and ids that need escaping are rejected")
    func refused() {
        #expect(throws: SigningError(.unreadable, .apiKey, "")) { try VerificationKey(x963: []) }
        #expect(throws: SigningError(.unreadable, .apiKey, "")) {
            try VerificationKey(x963: [4] + [UInt8](repeating: 1, count: 64))
        }
        #expect(throws: SigningError(.unreadable, .apiKey, "")) {
            try APIKeyPair(keyID: "A", privateKeyPEM: Secret("-----BEGIN PRIVATE KEY-----"))
        }
        for keyID in ["", "a\"b", "é", String(repeating: "A", count: 65)] {
            #expect(throws: SigningError(.unusableValue, .apiKey, "")) {
                try APIKeyPair(keyID: keyID, privateKeyPEM: APIKeyPair.make().privateKeyPEM)
            }
        }
    }
}
